/**
 * Answers without what two servers cannot have in common. Bodies stay texts, so that the order of members is compared.
 *
 * Versions are numbered in the order in which a sequence first sees them, and so are uids. Times of today become TIME
 * and those that a client gave stay. Entries of managedFields are sorted, because their order depends on the second of
 * each write. The version of a whole list depends on what else is written, so it only counts that there is one.
 */
import { fromEnvelope, openEnvelope } from "../../../cluster/apiserver/protobuf/envelope.ts";
import type { Answer } from "./ask.ts";
import { PROTOBUF } from "./ask.ts";

/** As it is compared, printed and recorded. In its texts `«version 7»` and `«uid U»` are as the server gave them. */
export interface Comparable {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

const HEADERS = ["content-type", "warning", "retry-after", "allow", "cache-control", "location", "vary"];
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const LIST_VERSION = /("metadata": ?\{\s*)"resourceVersion": ?"\d+"/g;
const VERSION = /(resourceVersion\\*"?: ?\\*")(\d+)(\\*")/g;
const TOKEN = /("continue": ?")([^"]+)(")/g;
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z)/g;
/** What a patch made of an object, in an error: ours has its members in another order. */
const DOCUMENT = /(patch: |"message":")(Invalid value: \\+"\{)(?:[^"\\]|\\.)*?\}(?=\\+": )/g;
/** A pod template or a pod in the text of an error: the real server shows its own structs. */
const STRUCT = /((?:spec\.template[a-z.]*: |"message":")Invalid value: )\{(?:[^"\\]|\\.)*?\}(?=: field is immutable)/g;
/** What has changed, line by line, with the names of the real server's own types. */
const DIFFERENCE =
  /((?:if it was previously negative\)|for bound claims|source is immutable after creation)\\n)(?:[^"\\]|\\.)*/g;
const AGE = /"(?:\d+[smh])+"/g;
const GENERATED = /(gen-|Bad_)[bcdfghjklmnpqrstvwxz2456789]{5}/g;
const CAUSE = /\{"reason":"FieldValue[A-Za-z]+","message":"(?:[^"\\]|\\.)*","field":"(?:[^"\\]|\\.)*"\}/g;
/** The columns of a Table are described in the words of the real server's documentation. */
const DESCRIPTION = /("description": ?")(?:[^"\\]|\\.)*"(?=,\s*"priority")/g;
const DAY_MS = 24 * 3_600_000;

export function comparable({ status, headers, body }: Answer): Comparable {
  const type = String(headers["content-type"]);
  const kept = HEADERS.filter((name) => headers[name] !== undefined).map(
    (name) => [name, typeof headers[name] === "string" ? generalText(headers[name]) : headers[name]!] as const,
  );
  return { status, headers: Object.fromEntries(kept), body: generalText(readable(type, body)) };
}

function generalText(given: string): string {
  const text = given
    .replaceAll(UID, (uid) => `«uid ${uid}»`)
    .replaceAll(TOKEN, (_all, before: string, token: string, after: string) => before + readableToken(token) + after)
    .replaceAll(LIST_VERSION, '$1"resourceVersion":"LIST"')
    .replaceAll(VERSION, "$1«version $2»$3")
    .replaceAll(TIME, (time: string, _seconds, fraction = "") => (isOfToday(time) ? `TIME${fraction && ".0"}Z` : time))
    .replaceAll(/(resource version: )\d+, current: \d+/g, "$1N, current: N")
    .replaceAll(/(too old resource version: )\d+ \(\d+\)/g, "$1N (N)")
    .replaceAll(/(ResourceVersion in (?:record|the precondition) \()\d+/g, "$1N")
    .replaceAll(DOCUMENT, "$1$2}")
    .replaceAll(STRUCT, "$1{}")
    .replaceAll(DIFFERENCE, "$1")
    .replaceAll(GENERATED, "$1XXXXX");
  const ageless = /"kind": ?"Table"/.test(text) ? text.replaceAll(AGE, '"AGE"').replaceAll(DESCRIPTION, "$1") : text;
  return withoutRepeatedCauses(withSortedManagers(ageless));
}

/** The real server says some causes twice. */
function withoutRepeatedCauses(text: string): string {
  if (!text.includes('"causes":[')) return text;
  const seen = new Set<string>();
  return text
    .replaceAll(CAUSE, (cause) => (seen.has(cause) ? "" : (seen.add(cause), cause)))
    .replaceAll(/,{2,}/g, ",")
    .replaceAll("[,", "[")
    .replaceAll(/,\](?=\})/g, "]");
}

/**
 * Compares the answers of two servers, whose versions and uids differ. Each stands for one of the other server. After a
 * difference the two of a pair are taken for the same, so that it is reported once.
 */
export class Correspondence {
  readonly #others = new Map<string, string>();

  same(a: Comparable, b: Comparable): boolean {
    const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
    const [given, other] = [left.match(GIVEN) ?? [], right.match(GIVEN) ?? []];
    let isSame = left.replaceAll(GIVEN, "«»") === right.replaceAll(GIVEN, "«»") && given.length === other.length;
    if (!isSame) return false;
    for (const [index, value] of given.entries()) isSame = this.#pair(`a${value}`, `b${other[index]!}`) && isSame;
    return isSame;
  }

  #pair(a: string, b: string): boolean {
    const isPair = (this.#others.get(a) ?? b) === b && (this.#others.get(b) ?? a) === a;
    this.#others.set(a, b).set(b, a);
    return isPair;
  }
}

const GIVEN = /«[^»]*»/g;

/** The answers to one sequence as they are recorded: versions and uids are numbered as they are first seen. */
export function recorded(answers: readonly Comparable[]): Comparable[] {
  const seen = new Map<string, string>();
  const text = JSON.stringify(answers).replaceAll(GIVEN, (given) => {
    if (!seen.has(given)) seen.set(given, `${given.slice(1, given.indexOf(" "))} #${seen.size + 1}`);
    return seen.get(given)!;
  });
  return JSON.parse(text) as Comparable[];
}

function isOfToday(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < DAY_MS;
}

function readable(type: string, body: Buffer): string {
  if (!type.startsWith(PROTOBUF) || type.includes("stream=watch")) return body.toString();
  return JSON.stringify(fromEnvelope(openEnvelope(body), { kind: "", apiVersion: "" }));
}

function readableToken(token: string): string {
  return Buffer.from(token, "base64url")
    .toString()
    .replace(/"rv":-?\d+/, "rv:N")
    .replaceAll('"', "'");
}

/** Each list of managers in the order of its entries' texts, without times. */
function withSortedManagers(text: string): string {
  const begin = '"managedFields":[';
  let out = "";
  let rest = text;
  for (let at = rest.indexOf(begin); at >= 0; at = rest.indexOf(begin)) {
    const end = endOfList(rest, at + begin.length - 1);
    const entries = JSON.parse(rest.slice(at + begin.length - 1, end)) as object[];
    out +=
      rest.slice(0, at + begin.length) +
      entries
        .map((entry) => JSON.stringify(entry))
        .sort()
        .join(",") +
      "]";
    rest = rest.slice(end);
  }
  return out + rest;
}

/** The text without lists of managers. */
export function withoutManagers(text: string): string {
  const begin = '"managedFields":[';
  let rest = text;
  for (let at = rest.indexOf(begin); at >= 0; at = rest.indexOf(begin))
    rest = rest.slice(0, at) + rest.slice(endOfList(rest, at + begin.length - 1));
  return rest.replaceAll(",}", "}");
}

/** After the bracket that closes the one at `start`. */
function endOfList(text: string, start: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "[" || character === "{")) depth++;
    else if (!isQuoted && (character === "]" || character === "}") && --depth === 0) return at + 1;
  }
  return text.length;
}
