/**
 * What became of the Jobs of a text: what happened, why, and what to do, by the engine's account of the same objects
 * that `stint why` asks about.
 */
import type { Remedy } from "../../bindings/js/engine.ts";
import { AccountPods } from "../../cluster/observed/account-pods.ts";
import type { AskAccount } from "../../cluster/observed/ask-account.ts";
import type { Pod } from "../../cluster/values/kinds.ts";
import type { JobAnswer, ToDo } from "../door-answer.ts";
import type { FoundJob, FoundObjects } from "./found-objects.ts";
import { repairedManifest } from "./run-manifest.ts";
import { whyOf } from "./why.ts";

/** A Job that has run, by its status; undefined: the engine cannot read it. */
export function answerOf(objects: FoundObjects, found: FoundJob, ask: AskAccount): JobAnswer | undefined {
  const pods = askedPods(found, ask);
  const { job, events } = found;
  const account = ask({ job, ...(pods === undefined ? {} : { pods }), ...(events === undefined ? {} : { events }) });
  if (account === undefined) return undefined;
  const { metadata } = found.job;
  return {
    namespace: metadata?.namespace ?? "default",
    name: metadata?.name ?? "",
    verdict: account.verdict.verdict,
    what: account.sentence,
    why: whyOf(found, account, pods ?? []),
    next: account.next.sentence,
    toDo: account.remedies.map((remedy) => toDo(objects, found, remedy)),
  };
}

/** As `stint why` asks: the pods that have not ended, and the one that failed last. Undefined: no pods are known. */
function askedPods({ job, pods, events = [] }: FoundJob, ask: AskAccount): readonly Pod[] | undefined {
  if (pods === undefined) return undefined;
  const gathered = new AccountPods(ask, { job, events });
  gathered.add(pods.map(({ pod }) => pod));
  return gathered.all;
}

function toDo(objects: FoundObjects, found: FoundJob, remedy: Remedy): ToDo {
  const { code, sentence, command, patch } = remedy;
  const change = repairedManifest(objects, found, remedy);
  const spec = patch as {
    readonly spec?: { readonly template?: object; readonly jobTemplate?: { spec?: object } };
  } | null;
  const isOfPods = "template" in { ...spec?.spec, ...spec?.spec?.jobTemplate?.spec };
  return { code, sentence, command, ...(change === undefined ? {} : { change: { ...change, isOfPods } }) };
}
