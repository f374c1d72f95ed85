/**
 * Reverse diffs from a version of an object to the one before it: which value to put at which place. Pods of a template
 * go through the same steps, so the places of a step are kept once, and of each version only the values before it.
 *
 * Invariant: a reverse diff gives the same value as the version that it was made from; but members that the later
 * version lost come last in their object, where no reader depends on their order. Leaves out which version is meant
 * (versions.ts).
 */
import { sharing } from "../../cluster/values/json.ts";
import type { Json, KubeObject } from "../../cluster/values/types.ts";

/** Versions that differ in more places than this, or in a new way beyond MAX_STEPS, are kept whole. */
export const MAX_PLACES = 64;
export const MAX_STEPS = 10_000;

/** Marks a missing member: no JSON value. */
const ABSENT = Symbol("absent");
export type Kept = Json | typeof ABSENT;
type Parts = Record<string, Json | undefined>;

/** A place in an object: `status` `containerStatuses` `0` `ready`. */
class Place {
  readonly above: Place | undefined;
  readonly key: string | number;
  readonly #below = new Map<string | number, Place>();

  constructor(above: Place | undefined, key: string | number) {
    this.above = above;
    this.key = key;
  }

  below(key: string | number): Place {
    let place = this.#below.get(key);
    if (place === undefined) this.#below.set(key, (place = new Place(this, key)));
    return place;
  }
}

/** The places of a step are those of the step that it continues, and one more. */
interface Step {
  readonly id: number;
  readonly continues: Step | undefined;
  readonly place: Place;
  readonly size: number;
  readonly further: Map<Place, Step>;
  /** The last value there: equal values are shared. */
  sample: Json | undefined;
}

export class VersionSteps {
  readonly #root = new Place(undefined, "");
  /** Its texts are all different, and mostly small whole numbers, which need no separate memory. */
  readonly #revision = this.#root.below("metadata").below("resourceVersion");
  readonly #steps: Step[] = [];
  readonly #first: Step = this.#addStep(undefined, this.#root);

  /** How many ways there are to differ. */
  get count(): number {
    return this.#steps.length;
  }

  /** How many values the step puts back. */
  sizeOf(step: number): number {
    return this.#steps[step]!.size;
  }

  /** Appends the values to put back, and returns the step. */
  back(older: KubeObject, newer: KubeObject, values: Kept[]): number {
    const from = values.length;
    const step = this.#compare(older as Parts, newer as Parts, this.#root, this.#first, values);
    if (step !== undefined) return step.id;
    values.length = from;
    values.push(older as unknown as Json);
    return this.#further(this.#first, this.#root)!.id;
  }

  /** The version before `newer`. @param from where its values begin */
  apply(newer: KubeObject, id: number, values: readonly Kept[], from: number): KubeObject {
    const draft = new Draft(newer);
    let at = from + this.sizeOf(id);
    for (let step = this.#steps[id]!; step.continues !== undefined; step = step.continues) {
      const value = values[--at]!;
      draft.put(step.place, step.place === this.#revision && typeof value === "number" ? String(value) : value);
    }
    return draft.object;
  }

  /** The step extended by the differences below a place; undefined: there are too many. */
  #compare(older: Parts, newer: Parts, place: Place, from: Step, values: Kept[]): Step | undefined {
    let step: Step | undefined = from;
    const keys = Object.keys(older);
    const newerKeys = Object.keys(newer);
    // Mostly both have the same members in the same order, which needs no look-up.
    let hasSameKeys = keys.length === newerKeys.length;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!;
      const before = older[key];
      const isInPlace = newerKeys[at] === key;
      hasSameKeys &&= isInPlace && before !== undefined;
      const after = isInPlace ? newer[key] : ownMember(newer, key);
      if (before === after || before === undefined) continue;
      step = areAlike(before, after)
        ? this.#compare(before as Parts, after as Parts, place.below(key), step, values)
        : this.#differs(before, place.below(key), step, values);
      if (step === undefined) return undefined;
    }
    if (hasSameKeys) return step;
    for (const key of newerKeys) {
      if (newer[key] === undefined || ownMember(older, key) !== undefined) continue;
      step = this.#differs(ABSENT, place.below(key), step, values);
      if (step === undefined) return undefined;
    }
    return step;
  }

  #differs(before: Kept, place: Place, from: Step, values: Kept[]): Step | undefined {
    const isRevision = place === this.#revision;
    // A number there would come back as a text, and a write to __proto__ cannot be reversed.
    if (from.size === MAX_PLACES || (isRevision && typeof before === "number") || place.key === "__proto__")
      return undefined;
    const step = this.#further(from, place);
    if (step === undefined) return undefined;
    if (isRevision && typeof before === "string") values.push(numberOr(before));
    else if (typeof before === "object") values.push((step.sample = sharing(before, step.sample)));
    else values.push(before);
    return step;
  }

  #further(from: Step, place: Place): Step | undefined {
    const known = from.further.get(place);
    // The root always gets its step, even when the limit is reached.
    if (known !== undefined || (this.#steps.length >= MAX_STEPS && place !== this.#root)) return known;
    const step = this.#addStep(from, place);
    from.further.set(place, step);
    return step;
  }

  #addStep(continues: Step | undefined, place: Place): Step {
    const size = continues === undefined ? 0 : continues.size + 1;
    const step = { id: this.#steps.length, continues, place, size, further: new Map(), sample: undefined };
    this.#steps.push(step);
    return step;
  }
}

/** Objects, or lists of one length: what differs lies within them. */
function areAlike(a: Json, b: Json | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  return Array.isArray(a) ? Array.isArray(b) && a.length === b.length : !Array.isArray(b);
}

function ownMember(parts: Parts, key: string): Json | undefined {
  return Object.hasOwn(parts, key) ? parts[key] : undefined;
}

function numberOr(text: string): Json {
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : text;
}

/** A copy-on-write copy of an object. */
class Draft {
  object: KubeObject;
  readonly #own = new Set<unknown>();

  constructor(object: KubeObject) {
    this.object = object;
  }

  put(place: Place, value: Kept): void {
    if (place.above === undefined) this.object = value as unknown as KubeObject;
    else if (value === ABSENT) delete this.#ownAt(place.above)[place.key];
    else this.#ownAt(place.above)[place.key] = value;
  }

  #ownAt({ above, key }: Place): Parts {
    if (above === undefined) return (this.object = this.#owned(this.object as Parts) as KubeObject) as Parts;
    const holder = this.#ownAt(above);
    return (holder[key] = this.#owned(holder[key] as Parts) as Json) as Parts;
  }

  #owned(value: Parts): Parts {
    if (this.#own.has(value)) return value;
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as Parts;
    this.#own.add(copy);
    return copy;
  }
}
