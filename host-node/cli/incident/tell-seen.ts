/** What Stint says at the end of an incident: `why` of its Job and CronJob, or what became of a Job that is gone. */
import { accountBy } from "../../../cluster/observed/offline-engine.ts";
import type { Incident } from "../../incidents/incident.ts";
import type { Seen } from "../../incidents/play.ts";
import { printable } from "../../words/printable.ts";
import { styleFor } from "../../words/style.ts";
import type { Console } from "../console.ts";
import type { Asked } from "../doctor/cluster-reader.ts";
import { findCronJob } from "../why/cron-job.ts";
import { cronJobLines } from "../why/cron-job-text.ts";
import { textContext } from "../why/told.ts";
import type { IncidentReport } from "./document.ts";

export interface ToldIncident {
  readonly text: string;
  /** What the report says beside what the incident is. */
  readonly json: Pick<IncidentReport, "isComplete" | "refusals" | "why" | "cronJob" | "attempts" | "holds">;
}

/** The cluster of an incident, for what reads one over the network. Nothing writes. */
export function readerOf({ get, nowMs }: Pick<Seen, "get" | "nowMs">): Asked {
  const refuse = (): never => {
    throw new Error("the cluster of an incident is only read");
  };
  return { origin: "", now: () => nowMs, get: async (path) => get(path), dryRun: refuse };
}

export async function tellSeen(incident: Incident, seen: Seen, console: Console): Promise<ToldIncident> {
  const { subject } = incident;
  const { isComplete, refusals, why, nowMs, engine, job } = seen;
  const account = job && engine.account({ job, pods: seen.pods, events: seen.events }, nowMs);
  const ask = accountBy(engine, () => nowMs);
  const cronJob =
    subject.kind === "CronJob"
      ? await findCronJob(readerOf(seen), { namespace: "default", name: subject.name }, ask)
      : undefined;
  const isGone = job !== undefined && why === "";
  const texts = [
    ...refusals.map((refusal) => printable(refusal)),
    ...(cronJob === undefined ? [] : [cronJobLines(cronJob, contextOf(nowMs, console)).join("\n")]),
    ...(why === "" ? [] : [why]),
    ...(isGone
      ? [
          [
            `job ${job.metadata.name} is gone`,
            ...account!.attempts.map(({ sentence }) => `  ${printable(sentence)}`),
          ].join("\n"),
        ]
      : []),
  ];
  const { attempts, holds } = account ?? {};
  return { text: texts.join("\n\n"), json: { isComplete, refusals, why, cronJob, attempts, holds } };
}

function contextOf(nowMs: number, { terminal, environment }: Console): Parameters<typeof cronJobLines>[1] {
  const style = styleFor(terminal !== undefined, environment);
  return textContext({ nowMs, style, columns: terminal?.().columns, clusterOptions: "", kubectlOptions: "" });
}
