/**
 * What a Job waits for: what `account` says of it, and then in the words of `stint why` the engine's explanation, its
 * last decisions, and how its last pod failed. A test that fails prints it, in each language. The engine forgets the
 * decisions of an ended Job, and a new engine has none, so they are kept here.
 */
import type { Account, Decision, Engine } from "../../bindings/js/engine.ts";
import { BoundedMap } from "../../cluster/values/bounded-map.ts";
import type { LastFailures } from "../words/last-failures.ts";
import { explanationLines } from "../words/explanation.ts";
import { heldSentence } from "../words/holds.ts";
import { jobView } from "../words/job-view.ts";
import { printable } from "../words/printable.ts";
import { styleFor } from "../words/style.ts";
import type { Job } from "../../cluster/values/kinds.ts";

/** The engine keeps as many of a Job. */
const KEPT_DECISIONS = 12;
const MAX_JOBS = 10_000;
const PLAIN = styleFor(false, {});

export class WhyTexts {
  readonly #failures: LastFailures;
  readonly #decisions = new BoundedMap<string, Decision[]>(MAX_JOBS);

  constructor(failures: LastFailures) {
    this.#failures = failures;
  }

  decided(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      const key = `${decision.namespace}/${decision.job}`;
      this.#decisions.put(key, [...(this.#decisions.get(key) ?? []), decision].slice(-KEPT_DECISIONS));
    }
  }

  /** The same in one sentence. */
  sentence(engine: Engine, job: Job, nowMs: number): string {
    const { namespace, name } = job.metadata;
    return heldSentence(this.#failures.accountOf(jobView(job)), engine.explain(namespace!, name, nowMs));
  }

  text(engine: Engine, job: Job, nowMs: number): string {
    const { namespace, name } = job.metadata;
    const view = jobView(job);
    const account = this.#failures.accountOf(view);
    const lastFailure = this.#failures.of(view, account);
    const decisions = this.#decisions.get(`${namespace}/${name}`) ?? [];
    const explained = { ...engine.explain(namespace!, name, nowMs), decisions };
    // Of a Job that has ended, both say the same.
    const hasEnded = account !== undefined && view.state !== "Running";
    const explanation = hasEnded ? { ...explained, sentence: account.sentence } : explained;
    const [head, ...lines] = explanationLines(explanation, nowMs, PLAIN, {
      lastFailure,
      account: account && { ...account, holds: [] },
      hasKubectl: false,
    });
    return [head, ...(account === undefined || hasEnded ? [] : accountLines(account)), ...lines].join("\n");
  }
}

/** The sentence has the first hold. */
function accountLines({ sentence, holds }: Account): string[] {
  const others = holds.map((hold) => hold.sentence).filter((hold) => !sentence.includes(hold));
  return [sentence, ...others].map((text) => `  ${printable(text)}`);
}
