/**
 * Stores cold objects as their differences from a template, in some hundred bytes each. The pods of a Job that have
 * ended differ in names, uids, addresses and times; so do the events that a component writes for one reason. The bytes
 * lie outside the heap: V8 lets a heap grow to four times the size of its live objects.
 *
 * Invariant: an unpacked object equals the packed one, with its members in the same order. Leaves out which objects are
 * packed, and when (store.ts).
 */
import type { Json, KubeObject } from "../../values/types.ts";

/** The most templates of one name. Objects with other members, or lists of other lengths, need another template. */
const MAX_TEMPLATES_A_NAME = 8;
const MAX_NAMES = 100;
/** Places, lengths and characters are one byte each. An object beyond this is not packed. */
const MAX_NUMBER = 255;
/** In place of a place: nothing more differs. */
const END = MAX_NUMBER;
/** A page has at least this length. All of it stays as long as one of its objects is alive. */
const PAGE_BYTES = 16_384;

/** How a value is written that differs from the one of the template. */
const AS_EARLIER = 0;
const AS_TEXT = 1;
const AS_HEX = 2;
const AS_UID = 3;

const MIN_HEX = 8;
const UID_LENGTH = 36;

type Parts = Record<string, Json>;
type Scalar = string | number;
type Codes = Uint8Array | readonly number[];

/** Packed objects of a template, one after the other. */
export interface Page {
  readonly template: Template;
  readonly codes: Uint8Array;
}

/** A packed object: its page, and where in the page it begins. */
export type Packed = readonly [page: Page, from: number];

/** A place in the objects of a template: `status` `podIP`. */
class Place {
  readonly above: Place | undefined;
  readonly key: string;
  /** What the template has here. */
  readonly sample: Json;
  readonly keys: readonly string[];
  readonly members: readonly Json[];
  /** By the position of the key. */
  readonly below: (Place | undefined)[] = [];
  /** Below 0: no object has differed here. */
  number = -1;

  constructor(above: Place | undefined, key: string, sample: Json) {
    this.above = above;
    this.key = key;
    this.sample = sample;
    const isObject = typeof sample === "object" && sample !== null;
    this.keys = isObject ? Object.keys(sample) : [];
    this.members = isObject ? Object.values(sample) : [];
  }
}

/** The output buffer: numbers, and the characters of texts. */
const codes: number[] = [];
/** What later values may refer to. */
let earlier: string[] = [];

export class Template {
  readonly #root: Place;
  readonly #places: Place[] = [];
  #page: Page = { template: this, codes: new Uint8Array(0) };
  #used = 0;

  constructor(sample: KubeObject) {
    this.#root = new Place(undefined, "", sample as unknown as Json);
  }

  /** Packs the object into its page. For the parameters and undefined see `pack`. */
  add(object: KubeObject, known: readonly string[]): Packed | undefined {
    const packed = this.pack(object, known);
    if (packed === undefined) return undefined;
    if (this.#used + packed.length > this.#page.codes.length) {
      this.#page = { template: this, codes: new Uint8Array(Math.max(PAGE_BYTES, packed.length)) };
      this.#used = 0;
    }
    const from = this.#used;
    this.#page.codes.set(packed, from);
    this.#used += packed.length;
    return [this.#page, from];
  }

  /**
   * The result is valid until the next call; undefined: the object does not match this template.
   * @param known texts that unpack will get too
   */
  pack(object: KubeObject, known: readonly string[]): readonly number[] | undefined {
    codes.length = 0;
    earlier = [...known];
    if (!this.#compare(object as unknown as Parts, this.#root) || Math.max(...codes) > MAX_NUMBER) return undefined;
    codes.push(END);
    return codes;
  }

  /** @param at where the object begins in `page` */
  unpack(page: Codes, at: number, known: readonly string[]): KubeObject {
    const values = [...known];
    const own = new Map<Place, Parts>();
    for (let place = page[at++]!; place !== END; place = page[at++]!) {
      const { above, key, sample } = this.#places[place]!;
      const kind = page[at++];
      const first = page[at++]!;
      let value: string;
      if (kind === AS_EARLIER) value = values[first]!;
      else {
        const length = kind === AS_UID ? 16 : page[at++]!;
        const rest = String.fromCharCode(...page.slice(at, (at += length)));
        value = kind === AS_UID ? uidOf(rest) : String(sample).slice(0, first) + (kind === AS_HEX ? hexOf(rest) : rest);
        values.push(value);
      }
      ownAt(above!, own)[key] = typeof sample === "number" ? Number(value) : value;
    }
    return (own.get(this.#root) ?? this.#root.sample) as unknown as KubeObject;
  }

  #compare(value: Parts, place: Place): boolean {
    const { keys, members, below } = place;
    // Lists of values are compared much faster than objects of many forms.
    const found = Array.isArray(value) ? (value as Json[]) : Object.values(value);
    if (found.length !== members.length || !(Array.isArray(value) || hasKeys(value, keys))) return false;
    for (let i = 0; i < members.length; i++) {
      const here = found[i];
      const there = members[i];
      if (here === there) continue;
      const key = keys[i]!;
      if (here === undefined || there === undefined || key === "__proto__") return false;
      const next = (below[i] ??= new Place(place, key, there));
      const isPacked = isScalar(here)
        ? this.#write(here, next)
        : areAlike(here, there) && this.#compare(here as Parts, next);
      if (!isPacked) return false;
    }
    return true;
  }

  #write(value: Scalar, place: Place): boolean {
    if (typeof value !== typeof place.sample) return false;
    if (place.number < 0) {
      if (this.#places.length === END) return false;
      place.number = this.#places.push(place) - 1;
    }
    return writeValue(String(value), String(place.sample), place.number);
  }
}

/** In the same order. */
function hasKeys(value: Parts, keys: readonly string[]): boolean {
  const found = Object.keys(value);
  for (let i = 0; i < keys.length; i++) if (found[i] !== keys[i]) return false;
  return true;
}

function writeValue(text: string, sample: string, place: number): boolean {
  const known = earlier.indexOf(text);
  if (known >= 0 && known <= MAX_NUMBER) {
    codes.push(place, AS_EARLIER, known);
    return true;
  }
  earlier.push(text);
  if (isUid(text)) {
    codes.push(place, AS_UID, 0);
    writeHex(text, 0, 8);
    for (let at = 9; at < 24; at += 5) writeHex(text, at, at + 4);
    writeHex(text, 24, UID_LENGTH);
    return true;
  }
  const end = Math.min(MAX_NUMBER, text.length, sample.length);
  let same = 0;
  while (same < end && text.charCodeAt(same) === sample.charCodeAt(same)) same++;
  // Two digits become one character.
  const even = same - ((text.length - same) & 1);
  if (even >= 0 && text.length - even >= MIN_HEX && isHex(text, even, text.length)) {
    const length = (text.length - even) / 2;
    codes.push(place, AS_HEX, even, length);
    writeHex(text, even, text.length);
    return length <= MAX_NUMBER;
  }
  codes.push(place, AS_TEXT, same, text.length - same);
  for (let i = same; i < text.length; i++) codes.push(text.charCodeAt(i));
  return text.length - same <= MAX_NUMBER;
}

/** Groups of 8, 4, 4, 4 and 12 digits, with hyphens between them. A regular expression takes several times as long. */
function isUid(text: string): boolean {
  if (text.length !== UID_LENGTH || !isHex(text, 0, 8) || !isHex(text, 24, UID_LENGTH)) return false;
  for (let at = 8; at < 23; at += 5) if (text[at] !== "-" || !isHex(text, at + 1, at + 5)) return false;
  return text[23] === "-";
}

function isHex(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 102 || (code > 57 && code < 97)) return false;
  }
  return true;
}

function writeHex(digits: string, from: number, to: number): void {
  for (let i = from; i < to; i += 2) codes.push(digit(digits, i) * 16 + digit(digits, i + 1));
}

function digit(digits: string, at: number): number {
  const code = digits.charCodeAt(at);
  return code < 58 ? code - 48 : code - 87;
}

function hexOf(bytes: string): string {
  let hex = "";
  for (let i = 0; i < bytes.length; i++) hex += (256 + bytes.charCodeAt(i)).toString(16).slice(1);
  return hex;
}

function uidOf(bytes: string): string {
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function isScalar(value: Json): value is Scalar {
  return typeof value === "string" || typeof value === "number";
}

function areAlike(a: Json, b: Json): boolean {
  return (
    typeof a === "object" && typeof b === "object" && a !== null && b !== null && Array.isArray(a) === Array.isArray(b)
  );
}

/** The copy of the template's value at a place, in the object under construction. */
function ownAt(place: Place, own: Map<Place, Parts>): Parts {
  let copy = own.get(place);
  if (copy !== undefined) return copy;
  const { above, key, sample } = place;
  copy = (Array.isArray(sample) ? [...sample] : { ...(sample as object) }) as Parts;
  own.set(place, copy);
  if (above !== undefined) ownAt(above, own)[key] = copy as Json;
  return copy;
}

/** The templates of one resource. */
export class Templates {
  readonly #byName = new Map<string, Template[]>();

  /** Undefined: the object matches no template. @param name of similar objects */
  pack(name: string, object: KubeObject, known: readonly string[]): Packed | undefined {
    let templates = this.#byName.get(name);
    if (templates === undefined) {
      if (this.#byName.size === MAX_NAMES) return undefined;
      this.#byName.set(name, (templates = []));
    }
    for (const template of templates) {
      const packed = template.add(object, known);
      if (packed !== undefined) return packed;
    }
    if (templates.length < MAX_TEMPLATES_A_NAME) templates.push(new Template(object));
    return undefined;
  }
}
