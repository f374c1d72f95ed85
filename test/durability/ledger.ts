/**
 * What a client knows of the objects that it writes: what was acknowledged, what it has asked for without hearing
 * how that ended, and what it has seen in a watch; and how that compares with what a server has after a restart.
 *
 * Each object has one writer, and each write of it a higher number than the one before, in `data.n`.
 */

/** The number of the write that an object shows; gone: it was deleted by the write of this number. */
interface State {
  readonly number: number;
  readonly isGone: boolean;
}

interface Entry {
  /** Of the latest write that was sent. */
  latest: number;
  stored: State;
  /** Undefined: how the latest write ended is known. */
  asked: State | undefined;
  /** The highest number that a watch has shown, and the highest that it has shown as deleted. */
  seen: number;
  seenDeleted: number;
}

/** An object of a list or a watch. */
export interface Numbered {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly n?: string };
}

const numberOf = ({ data }: Numbered): number => Number(data?.n ?? 0);

export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #latestVersion = 0;
  /** How many writes were acknowledged. */
  acknowledged = 0;

  /** The latest version that anybody was shown. */
  get latestVersion(): number {
    return this.#latestVersion;
  }

  isGone(name: string): boolean {
    return this.#entry(name).stored.isGone;
  }

  /** A write is about to be sent. @returns its number */
  ask(name: string, isGone: boolean): number {
    const entry = this.#entry(name);
    entry.asked = { number: ++entry.latest, isGone };
    return entry.latest;
  }

  /** The write has been answered with success. */
  acknowledge(name: string, version: string | undefined): void {
    const entry = this.#entry(name);
    entry.stored = entry.asked!;
    entry.asked = undefined;
    this.acknowledged++;
    this.showVersion(version);
  }

  /** A version that the server has shown: of an answer, of a list, of a line of a watch. */
  showVersion(version: string | undefined): void {
    this.#latestVersion = Math.max(this.#latestVersion, Number(version ?? 0));
  }

  see(type: string, object: Numbered): void {
    this.showVersion(object.metadata.resourceVersion);
    const entry = this.#entry(object.metadata.name);
    if (type === "DELETED") entry.seenDeleted = Math.max(entry.seenDeleted, numberOf(object));
    else entry.seen = Math.max(entry.seen, numberOf(object));
  }

  /** Compares with all objects that a server has after a restart. From then on that is what is stored. */
  compare(objects: readonly Numbered[], version: string): string[] {
    const findings: string[] = [];
    if (Number(version) < this.#latestVersion)
      findings.push(`version ${this.#latestVersion} was shown, and after the restart the latest is ${version}`);
    const found = new Map(objects.map((object) => [object.metadata.name, object]));
    for (const [name, entry] of this.#entries) {
      const state = stateOf(found.get(name), entry);
      const allowed = [entry.stored, ...(entry.asked ? [entry.asked] : [])];
      if (!allowed.some((one) => one.number === state?.number && one.isGone === state.isGone))
        findings.push(`${name}: stored ${described(allowed)}, after the restart ${describedObject(found.get(name))}`);
      const object = found.get(name);
      if (object !== undefined && (numberOf(object) < entry.seen || numberOf(object) <= entry.seenDeleted))
        findings.push(
          `${name}: a watch has shown ${entry.seen}${entry.seenDeleted > 0 ? `, and ${entry.seenDeleted} deleted` : ""}; after the restart ${numberOf(object)}`,
        );
      entry.stored = state ?? entry.stored;
      entry.asked = undefined;
    }
    return findings;
  }

  #entry(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = { latest: 0, stored: { number: 0, isGone: true }, asked: undefined, seen: 0, seenDeleted: 0 };
      this.#entries.set(name, entry);
    }
    return entry;
  }
}

/** What is there; undefined: nothing that could be. */
function stateOf(object: Numbered | undefined, { stored, asked }: Entry): State | undefined {
  if (object !== undefined) return { number: numberOf(object), isGone: false };
  return [asked, stored].find((state) => state?.isGone === true);
}

function described(states: readonly State[]): string {
  return states.map(({ number, isGone }) => `${isGone ? "deletion" : "write"} ${number}`).join(", and perhaps ");
}

function describedObject(object: Numbered | undefined): string {
  return object === undefined ? "it is not there" : `it shows write ${numberOf(object)}`;
}
