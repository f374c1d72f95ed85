/** What `stint why` says of a Job, in both forms: the explanation of its controller, or that of its objects. */
import type { EngineModule } from "../../engine-module.ts";
import type { UsageError } from "../../usage-error.ts";
import { explanationLines } from "../../words/explanation.ts";
import { warningLines } from "../output/warning-events.ts";
import { type Answer, findAnswer } from "./answer.ts";
import type { ApiReader } from "./api-reader.ts";
import type { JobTarget } from "./controllers.ts";
import { jobAccount } from "./job-document.ts";
import { missingJob } from "./missing.ts";
import { notFound } from "./not-found.ts";
import type { TextContext, Told } from "./told.ts";

/** The code of an explanation whose objects are not all known. */
const NOT_LISTED = "NotListed";

export interface JobQuestion {
  readonly target: JobTarget;
  readonly controllerUrl: string | undefined;
  readonly controllerNamespace: string;
  readonly reader: ApiReader | UsageError;
  readonly engineModule: () => Promise<EngineModule>;
}

/** @param context made when the answer is there, for its time */
export async function tellJob(question: JobQuestion, context: () => TextContext): Promise<Told> {
  const answer = await findAnswer(question);
  if (answer === undefined) {
    const { target, reader } = question;
    // Only a reader can find that there is no such Job.
    return {
      json: notFound("Job", target.namespace, target.job),
      hasEnded: false,
      ...(await missingJob(reader as ApiReader, target)),
    };
  }
  const { state } = answer.explanation;
  const hasEnded = state === "Complete" || state === "Failed";
  return { json: jobAccount(answer), lines: linesOf(answer, context()), hasEnded };
}

function linesOf(
  { explanation, source, next, lastFailure, ended, account, remarks, events }: Answer,
  { nowMs, style, columns, kubectlOptions, clusterOptions }: TextContext,
): string[] {
  const warnings = warningLines(events, nowMs, style, columns);
  // Its pods may not be read: the sentence is the status's, and not that of a rule.
  const hasNoRule = source === "objects" && explanation.code === NOT_LISTED;
  return [
    ...explanationLines(hasNoRule ? { ...explanation, code: "" } : explanation, nowMs, style, {
      columns,
      next,
      lastFailure,
      ended,
      remarks,
      account,
      kubectlOptions,
      clusterOptions,
    }),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
  ];
}
