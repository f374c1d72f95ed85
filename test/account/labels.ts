/**
 * Pods with a known end, and what `account` says of them. It is asked with what a client has seen: the last state of
 * each pod, also of those that are gone, the Job, and the Events. Wrong is worse than Unknown, and neither may be.
 */
import type { AccountQuestion, Engine } from "../../bindings/js/engine.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { Chance } from "../simulation/chance.ts";
import type { Shape, Truth, Way } from "./way.ts";

export interface Labelled {
  readonly wanted: string;
  readonly said: string | null;
  readonly sentence: string;
  /** For whoever reads why it is wrong. */
  readonly pod: KubeObject;
}

/** What a run of a way draws. */
export function drawn({ name }: Pick<Way, "name">, seed: number): { readonly chance: Chance; readonly shape: Shape } {
  const chance = new Chance(seed, name);
  const shape: Shape = {
    sidecar: chance.isHit(0.4),
    init: chance.isHit(0.3),
    restartPolicy: chance.pick(["Never", "OnFailure"]),
  };
  return { chance, shape };
}

/** Whether something has ended the pod, or is about to. */
export function isOver({ metadata, status }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === "Failed" || status?.phase === "Succeeded";
}

/** Asks for the account. @returns each pod whose end is known */
export function label(engine: Engine, question: AccountQuestion, truth: Truth, nowMs: number): Labelled[] {
  const { attempts } = engine.account(question, nowMs);
  return (question.pods as readonly KubeObject[]).flatMap((pod) => {
    const wanted = isOver(pod) ? truth(pod) : undefined;
    const attempt = attempts.find(({ uid }) => uid === pod.metadata.uid)!;
    return wanted === undefined ? [] : [{ wanted, said: attempt.endedBy, sentence: attempt.sentence, pod }];
  });
}

/** Those that have another name than the true one, each with all that tells why. */
export function misnamed(labelled: readonly Labelled[]): string[] {
  return labelled
    .filter(({ wanted, said }) => said !== wanted)
    .map(({ wanted, said, sentence, pod }) => `${said} for ${wanted}: ${sentence}: ${JSON.stringify(pod)}`);
}
