/**
 * Rounds of requests to a populated server. A round starts from a fresh one, and depends on the seed and its number
 * alone, so any request can be sent again behind those that went before it.
 *
 * A bug fails the round: an exception, an answer that is no Status where it should be one, a trap, a change of what
 * no request touched. A stall does not: it is found, and looked at again, for what was slow once may have been another
 * program's fault.
 */
import { type Asked, Front, type Wrap } from "./front.ts";
import type { Cost, Gauge } from "./gauge.ts";
import { drawRequest, type HttpRequest } from "./requests.ts";

export const REQUESTS_A_ROUND = 100;
/** Times that a stall is looked at again. The least that was seen counts. */
const LOOKS = 2;

/** What one request cost. */
export interface Finding {
  readonly index: number;
  readonly request: HttpRequest;
  readonly status: number;
  readonly answerBytes: number;
  readonly cost: Cost;
  readonly aftermath: Cost;
}

export interface HttpFailure {
  readonly index: number;
  readonly request: HttpRequest;
  readonly message: string;
}

export interface HttpFuzzerOptions {
  readonly gauge: Gauge;
  readonly seed: number;
  /** Stalls beyond it are looked at again. */
  readonly maxStallMs: number;
  readonly wrap?: Wrap;
  /** Called before each request. */
  readonly onRequest?: (index: number) => void;
}

export class HttpFuzzer {
  readonly #options: HttpFuzzerOptions;

  constructor(options: HttpFuzzerOptions) {
    this.#options = options;
  }

  /** Sends the requests from `first`, where a round begins, to `last`. */
  async play(
    first: number,
    last: number,
  ): Promise<{ readonly findings: readonly Finding[]; readonly failure: HttpFailure | undefined }> {
    const findings: Finding[] = [];
    const failure = await this.#send(first, last, (finding) => findings.push(finding));
    for (const [place, finding] of findings.entries())
      if (stallOf(finding) > this.#options.maxStallMs) findings[place] = await this.#again(first, finding);
    return { findings, failure };
  }

  async #again(first: number, finding: Finding): Promise<Finding> {
    let least = finding;
    for (let look = 0; look < LOOKS && stallOf(least) > this.#options.maxStallMs; look++) {
      await this.#send(first, finding.index, (seen) => {
        if (seen.index === finding.index && stallOf(seen) < stallOf(least)) least = seen;
      });
    }
    return least;
  }

  async #send(first: number, last: number, found: (finding: Finding) => void): Promise<HttpFailure | undefined> {
    const { gauge, seed, wrap, onRequest } = this.#options;
    const front = await Front.start(gauge, wrap);
    for (let index = first; index <= last; index++) {
      const request = drawRequest(seed, index);
      onRequest?.(index);
      try {
        const asked = front.ask(request);
        found({ index, request, ...asked });
        const message = this.#problemOf(asked, front);
        if (message !== undefined) return { index, request, message };
      } catch (error) {
        return { index, request, message: (error as Error).stack ?? String(error) };
      }
    }
    return undefined;
  }

  #problemOf({ status }: Asked, front: Front): string | undefined {
    if (front.problems.length > 0) return front.problems.join("\n");
    if (!Number.isInteger(status) || status < 200 || status > 599) return `the answer has status ${status}`;
    return front.changeOfCanary();
  }
}

/** The longest time for which the request, or what followed from it, kept the event loop. */
export function stallOf({ cost, aftermath }: Finding): number {
  return Math.max(cost.stallMs, aftermath.stallMs);
}

export function peakOf({ cost, aftermath }: Finding): number {
  return Math.max(cost.peakBytes, aftermath.peakBytes);
}
