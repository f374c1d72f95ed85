/**
 * What differs from run to run, by the name that stands for it in a transcript: `<server>`. A transcript names those
 * that it needs, and each must hide something: so none hides what another transcript shows.
 */

/** What a text is hidden by: of this run, or of all. */
export interface Surroundings {
  readonly folder: string;
  /** `https://127.0.0.1:PORT`. Undefined: there is no server. */
  readonly server: string | undefined;
}

type Mask = (text: string, surroundings: Surroundings) => string;

function pattern(expression: RegExp, replacement: string): Mask {
  return (text) => text.replace(expression, replacement);
}

const HEADING = /((?:TIME|CREATED) \(UTC\)) {2,}/g;

function timeText(_: string, _day: string | undefined, padding: string | undefined): string {
  return padding === undefined ? "<time>" : "<time>  ";
}

const MASKS: ReadonlyMap<string, Mask> = new Map<string, Mask>([
  ["folder", (text, { folder }) => text.replaceAll(folder, "<folder>")],
  ["server", (text, { server }) => (server === undefined ? text : text.replaceAll(server, "<server>"))],
  // What is drawn at random: a seed gives the same only as long as the cluster draws equally often.
  ["uid", pattern(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, "<uid>")],
  ["suffix", pattern(/(?<=\w-)[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])/g, "<suffix>")],
  /** In the name of a Job that a CronJob makes: the minutes since 1970. */
  ["minute", pattern(/(?<=\w-)\d{8}(?=-<suffix>|(?![\w-]))/g, "<minute>")],
  // In front of those below, which are parts of it.
  ["instant", pattern(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<instant>")],
  // A day is there for times that are not of today, and makes their column wider.
  ["time", (text) => text.replace(/\b(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\b( {3,})?/g, timeText).replace(HEADING, "$1  ")],
  /** How long a command has run, at the start of a line. */
  ["elapsed", pattern(/^ +\d+\.\ds(?= )/gm, "<elapsed>")],
  [
    "age",
    (text) =>
      text.replace(/\b\d+ m?s ago(, \d+ times)?(?:( {2}) *)?/g, "<age> ago$1$2").replace(/(LAST SEEN) {2,}/g, "$1  "),
  ],
  /** In JUnit. The API has whole seconds, so a Job of some milliseconds may have taken one. */
  ["seconds", pattern(/(?<= time=")\d+\.\d+(?=")/g, "<seconds>")],
  ["wait", pattern(/\b(waiting|in|for) \d+ m?s\b/g, "$1 <wait>")],
  /** In front of a line that a container printed, where the Job has no completion indexes. */
  ["container", pattern(/^\[[bcdfghjklmnpqrstvwxz2456789]{5}\](?= )/gm, "[<suffix>]")],
  ["port", pattern(/(?<=\b127\.0\.0\.1:)\d+/g, "<port>")],
  ["took", pattern(/(?<![\w.])\d+(\.\d+)?m?s\b/g, "<took>")],
  ["ms", pattern(/(?<="(?:at|since|next|remaining|last|lastFailure|lastSchedule|created|start|end)Ms":)\d+/g, "<ms>")],
]);

/** All of them, for texts that show what is random only by example. */
export const MASK_NAMES: readonly string[] = [...MASKS.keys()];

/** Masks a text, and knows which of its masks have hidden something. */
export class Masking {
  readonly #surroundings: Surroundings;
  readonly #names: ReadonlySet<string>;
  readonly #used = new Set<string>();

  /** @throws Error for a name that is none */
  constructor(names: readonly string[], surroundings: Surroundings) {
    const unknown = names.filter((name) => !MASKS.has(name));
    if (unknown.length > 0)
      throw new Error(`there is no mask ${unknown.join(", ")}; there are ${[...MASKS.keys()].join(", ")}`);
    this.#names = new Set(names);
    this.#surroundings = surroundings;
  }

  mask(text: string): string {
    let masked = text;
    for (const [name, mask] of MASKS) {
      if (!this.#names.has(name)) continue;
      const after = mask(masked, this.#surroundings);
      if (after !== masked) this.#used.add(name);
      masked = after;
    }
    return masked;
  }

  /** The names that have hidden nothing so far. */
  get unused(): readonly string[] {
    return [...this.#names].filter((name) => !this.#used.has(name));
  }
}
