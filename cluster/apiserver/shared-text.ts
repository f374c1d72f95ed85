/**
 * The JSON text of objects that share parts. Objects of one template have most lists in common: containers,
 * tolerations, owners, and the conditions that pods get at the same instant. The text of such a list is made once.
 *
 * Invariant: the text is what `stringify` makes of the object. Lists never change, so the same list has the same text.
 * Leaves out the parts that one object shares with its earlier versions; the store keeps these.
 */
import type { Json, JsonObject } from "../types.ts";
import { setMember, stringify } from "./json.ts";

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

/** Texts of letters, digits and separators, as kinds are, need no encoder. */
const plainText = /^[\w./-]*$/;

/** The text of a value that no other object shares. */
export function valueText(value: Json): string {
  return typeof value === "string" && plainText.test(value) ? `"${value}"` : stringify(value);
}

/** The text of an object. */
export function objectText(object: JsonObject): string {
  let text = "";
  // The members between two lists are written at once: a text of few pieces is quickly joined.
  let run: JsonObject | undefined;
  const endRun = (): void => {
    const written = run === undefined ? "{}" : stringify(run);
    if (written !== "{}") text += `${text === "" ? "" : ","}${written.slice(1, -1)}`;
    run = undefined;
  };
  for (const name in object) {
    const value = object[name]!;
    if (Array.isArray(value)) {
      endRun();
      text += `${text === "" ? "" : ","}${stringify(name)}:${listText(name, value)}`;
    } else setMember((run ??= {}), name, value);
  }
  endRun();
  return `{${text}}`;
}
