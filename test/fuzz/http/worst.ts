/** The requests that cost most, and how they are printed. */
import { type Finding, peakOf, stallOf } from "./fuzzer.ts";

const MAX_KEPT = 8;
const SHOWN_PATH = 80;

/** Keeps the worst of many, by one figure. */
export class Worst {
  #kept: Finding[] = [];
  readonly #figure: (finding: Finding) => number;

  constructor(figure: (finding: Finding) => number) {
    this.#figure = figure;
  }

  add(findings: readonly Finding[]): void {
    this.#kept = [...this.#kept, ...findings].toSorted((a, b) => this.#figure(b) - this.#figure(a)).slice(0, MAX_KEPT);
  }

  get findings(): readonly Finding[] {
    return this.#kept;
  }
}

/** `   312 ms  +45 MB  POST /api/v1/nodes, 1.2 kB (wide object): 201; npm run fuzz -- --seed 1 --request 17`. */
export function told(finding: Finding, seed: number): string {
  const {
    index,
    request: { what, method, path, body },
    status,
    cost,
    aftermath,
  } = finding;
  const shown = path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}… (${path.length})` : path;
  const when = aftermath.stallMs > cost.stallMs ? " afterwards" : "";
  const measured = `${stallOf(finding).toFixed(0).padStart(6)} ms${when}  +${(peakOf(finding) / 1e6).toFixed(0)} MB`;
  const sent = `${method} ${shown}, ${(body.length / 1e3).toFixed(1)} kB (${what})`;
  return `${measured}  ${sent}: ${status}; npm run fuzz -- --seed ${seed} --request ${index}`;
}
