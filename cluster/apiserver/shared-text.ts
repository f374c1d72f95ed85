/**
 * The JSON text of objects that share parts. Objects of one template have most lists in common: containers,
 * tolerations, owners, and the conditions that pods get at the same instant. The text of such a list is made once.
 *
 * Invariant: the text is what `stringify` makes of the object. Lists never change, so the same list has the same text.
 * Leaves out the parts that one object shares with its earlier versions; the store keeps these.
 */
import type { Json } from "../types.ts";
import { stringify } from "./json.ts";

/** Texts that are kept for lists of one name: about the number of steps that pods take at the same time. */
const MAX_TEXTS_A_NAME = 4;
/** Names are those of the schema, and of maps that hold lists; beyond this limit all are forgotten. */
const MAX_NAMES = 1_000;

/** The latest lists of one name, with their texts. */
class LatestLists {
  readonly #lists: Json[][] = [];
  readonly #texts: string[] = [];
  #oldest = 0;

  textOf(list: Json[]): string {
    const known = this.#lists.indexOf(list);
    if (known >= 0) return this.#texts[known]!;
    const text = stringify(list);
    this.#lists[this.#oldest] = list;
    this.#texts[this.#oldest] = text;
    this.#oldest = (this.#oldest + 1) % MAX_TEXTS_A_NAME;
    return text;
  }
}

const latestLists = new Map<string, LatestLists>();

function listText(name: string, list: Json[]): string {
  let lists = latestLists.get(name);
  if (lists === undefined) {
    if (latestLists.size === MAX_NAMES) latestLists.clear();
    latestLists.set(name, (lists = new LatestLists()));
  }
  return lists.textOf(list);
}

/** Characters of a string that JSON, or Go's encoder, writes as an escape. Others may be among them. */
const mayNeedEscapes = /[^ !#-%'-;=?-[\]-~]/;

/** A string in quotes. */
export function quoted(text: string): string {
  return mayNeedEscapes.test(text) ? stringify(text) : `"${text}"`;
}

/** The text of a member's value; undefined if the member has no text. */
export function memberText(name: string, value: Json | undefined): string | undefined {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "boolean":
      return value ? "true" : "false";
    case "undefined":
      return undefined;
    default:
      return Array.isArray(value) ? listText(name, value) : stringify(value);
  }
}

/** The text of an object. */
export function objectText(object: Readonly<Record<string, Json | undefined>>): string {
  let text = "";
  for (const name in object) {
    const value = memberText(name, object[name]);
    if (value !== undefined) text += `${text === "" ? "{" : ","}${quoted(name)}:${value}`;
  }
  return text === "" ? "{}" : `${text}}`;
}
