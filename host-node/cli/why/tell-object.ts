/** What `stint why` says of an object that is no Job, in both forms. It reads objects, and asks no controller. */
import { createEngine } from "../../controller/job-controller.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { accountBy } from "../../../cluster/observed/offline-engine.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import type { JobName } from "../../words/similar-names.ts";
import type { ApiReader } from "./api-reader.ts";
import { findCronJob } from "./cron-job.ts";
import { cronJobLines } from "./cron-job-text.ts";
import { findJobSet } from "./job-set.ts";
import { jobSetLines } from "./job-set-text.ts";
import { missing } from "./missing.ts";
import { notFound } from "./not-found.ts";
import { findPod } from "./pod.ts";
import { podLines } from "./pod-text.ts";
import type { SubjectKind } from "./subject.ts";
import type { TextContext, Told } from "./told.ts";

type OtherKind = Exclude<SubjectKind, "Job">;
type Found = Omit<Told, "lines"> & { readonly lines: (context: TextContext) => readonly string[] };
type Find = (reader: ApiReader, place: JobName, ask: AskAccount) => Promise<Found | undefined>;

const FIND: Readonly<Record<OtherKind, Find>> = {
  async CronJob(reader, place, ask) {
    const answer = await findCronJob(reader, place, ask);
    return answer && { json: answer, lines: (context) => cronJobLines(answer, context), hasEnded: false };
  },
  async Pod(reader, place, ask) {
    const answer = await findPod(reader, place, ask);
    if (answer === undefined) return undefined;
    const hasEnded = answer.state === "Succeeded" || answer.state === "Failed";
    return { json: answer, lines: (context) => podLines(answer, context), hasEnded };
  },
  async JobSet(reader, place, ask) {
    const answer = await findJobSet(reader, place, ask);
    if (answer === undefined) return undefined;
    const hasEnded = answer.state === "Completed" || answer.state === "Failed";
    return { json: answer, lines: (context) => jobSetLines(answer, context), hasEnded };
  },
};

/** @param context made when the answer is there, for its time */
export async function tellObject(
  reader: ApiReader,
  kind: OtherKind,
  place: JobName,
  context: () => TextContext,
): Promise<Told> {
  const engine = await createEngine(await loadEngineModule());
  const ask = accountBy(engine, () => reader.now());
  const found = await FIND[kind](reader, place, ask);
  if (found !== undefined) return { ...found, lines: found.lines(context()) };
  return {
    json: notFound(kind, place.namespace, place.name),
    hasEnded: false,
    ...(await missing(reader, kind, place)),
  };
}
