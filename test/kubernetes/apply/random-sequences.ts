/**
 * Random sequences of writes from a seed, by few managers to few fields, so that they meet often: ConfigMaps with
 * labels, finalizers and owners, and Jobs with their status. Leaves out what a hand-written sequence shows better:
 * texts of refusals, templates of pods, managedFields that a client sends.
 */
import type { JsonObject } from "../../../cluster/index.ts";
import { numbersOf } from "../seeded-numbers.ts";
import type { Sequence, Step } from "./play.ts";

const STEPS = 8;
const MANAGERS = ["me", "you", "they", "kubectl"];

export function randomSequences(seed: number, count: number): readonly Sequence[] {
  const choices = new Choices(numbersOf(seed));
  return Array.from({ length: count }, (_, index) => ({
    name: `random ${index}`,
    steps: index % 2 === 0 ? choices.configMapSteps() : choices.jobSteps(),
  }));
}

class Choices {
  readonly #next: () => number;

  constructor(next: () => number) {
    this.#next = next;
  }

  configMapSteps(): readonly Step[] {
    return [this.#configMapStep("create"), ...this.#several(() => this.#configMapStep())];
  }

  /** A label stays that none removes: a Job without any gets those of its template, which Stint does only once. */
  jobSteps(): readonly Step[] {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const body = { metadata: { labels: { z: "1" } }, spec: { suspend: true, completions: 4, template } };
    return [
      { as: this.#manager(), verb: "create", kind: "Job", body },
      ...this.#several(() => (this.#is(0.4) ? this.#jobStatusStep() : this.#jobStep())),
    ];
  }

  #configMapStep(verb: Step["verb"] = this.#verb()): Step {
    const body = { metadata: this.#metadata(verb), ...this.#perhaps({ data: this.#members(verb) }) };
    return { as: this.#manager(), verb, kind: "ConfigMap", body, ...this.#force(verb) };
  }

  #jobStep(): Step {
    const verb = this.#verb();
    const spec = {
      ...this.#perhaps({ parallelism: this.#number() }),
      ...this.#perhaps({ backoffLimit: this.#number() }),
    };
    const body = { metadata: this.#metadata(verb), ...(Object.keys(spec).length > 0 && { spec }) };
    return { as: this.#manager(), verb, kind: "Job", body, ...this.#force(verb) };
  }

  #jobStatusStep(): Step {
    const verb = this.#verb();
    const status = {
      active: 3 + this.#number(),
      ...this.#perhaps({ ready: this.#number() }),
      ...this.#perhaps({ terminating: this.#number() }),
    };
    const body = { ...this.#perhaps({ metadata: { labels: this.#members(verb) } }), status };
    return { as: this.#manager(), verb, kind: "Job", subresource: "status", body, ...this.#force(verb) };
  }

  #metadata(verb: Step["verb"]): JsonObject {
    return {
      ...this.#perhaps({ labels: this.#members(verb) }),
      ...this.#perhaps({ annotations: this.#members(verb) }),
      ...this.#perhaps({ finalizers: this.#some(["x/a", "x/b", "x/c"]) }, 0.3),
      ...this.#perhaps({ ownerReferences: this.#some(["u1", "u2", "u3"]).map((uid) => this.#owner(uid)) }, 0.3),
    };
  }

  /** A patch may remove a member. */
  #members(verb: Step["verb"]): JsonObject {
    const canRemove = verb === "merge" || verb === "strategic" || verb === "update";
    const value = (): string | null => (canRemove && this.#is(0.25) ? null : String(this.#number()));
    return Object.fromEntries(this.#some(["a", "b", "c", "d"]).map((name) => [name, value()]));
  }

  #owner(uid: string): JsonObject {
    return { apiVersion: "v1", kind: "Pod", name: this.#of(["n", "m"]), uid };
  }

  #force(verb: Step["verb"]): Pick<Step, "query"> {
    return verb === "apply" && this.#is(0.4) ? { query: "force=true" } : {};
  }

  #verb(): Step["verb"] {
    return this.#of(["apply", "apply", "apply", "merge", "strategic", "update"]);
  }

  #manager(): string {
    return this.#of(MANAGERS);
  }

  #number(): number {
    return Math.floor(this.#next() * 3);
  }

  #several<T>(make: () => T): T[] {
    return Array.from({ length: STEPS }, make);
  }

  #some<T>(values: readonly T[]): T[] {
    return values.filter(() => this.#is(0.5));
  }

  #perhaps(part: JsonObject, chance = 0.6): JsonObject {
    return this.#is(chance) ? part : {};
  }

  #of<T>(values: readonly T[]): T {
    return values[Math.floor(this.#next() * values.length)]!;
  }

  #is(chance: number): boolean {
    return this.#next() < chance;
  }
}
