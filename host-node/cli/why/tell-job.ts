/** What `stint why` says of a Job, in both forms: the explanation of its controller, or that of its objects. */
import type { Explanation } from "../../../bindings/js/engine.ts";
import type { EngineModule } from "../../engine-module.ts";
import type { UsageError } from "../../usage-error.ts";
import { explanationLines } from "../../words/explanation.ts";
import { warningLines } from "../output/warning-events.ts";
import { type Answer, findAnswer } from "./answer.ts";
import type { ApiReader } from "./api-reader.ts";
import type { JobTarget } from "./controllers.ts";
import { missingJob } from "./missing.ts";
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
    return { json: notFound(target), hasEnded: false, ...(await missingJob(reader as ApiReader, target)) };
  }
  const { state } = answer.explanation;
  const hasEnded = state === "Complete" || state === "Failed";
  return { json: jsonOf(answer), lines: linesOf(answer, context()), hasEnded };
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

function jsonOf({ explanation, source, lastFailure, ended, account, remarks, events }: Answer): object {
  const { holds, next, remedies } = account ?? {};
  const endedPods = ended?.length === 0 ? undefined : ended;
  return { ...explanation, source, lastFailure, endedPods, holds, next, remedies, remarks, events };
}

/** The explanation that an engine gives for an unknown Job. */
function notFound({ namespace, job }: JobTarget): Explanation {
  return {
    namespace,
    job,
    found: false,
    state: "Unknown",
    sentence: "no such Job is known",
    nextMs: null,
    decisions: [],
  };
}
