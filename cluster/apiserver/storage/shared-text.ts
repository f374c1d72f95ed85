/**
 * The JSON text of objects that share parts. Objects of one template have most lists in common: containers,
 * tolerations, owners, and the conditions that pods get at the same instant. The text of such a part is made once.
 *
 * Invariant: the text is what `stringify` makes of the object. Parts never change, so the same part has the same text.
 * Leaves out the parts that one object shares with its earlier versions; the store keeps these.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { stringify } from "../../values/json.ts";

/** Texts cached for parts of one name: about the number of steps that pods take at the same time. */
const MAX_TEXTS_A_NAME = 4;
/** Names come from the schema, and from maps in its place; beyond this limit all are dropped. */
const MAX_NAMES = 1_000;

/** The members of one name: how the name is written, and the latest lists and objects with their texts. */
class NamedMembers {
  /** The name in quotes, with a colon, behind an opening brace and behind a comma. */
  readonly firstLead: string;
  readonly lead: string;
  readonly #parts: Json[] = [];
  readonly #texts: string[] = [];
  #oldest = 0;

  constructor(name: string) {
    // Joined, because V8 keeps a concatenation with + as its pieces.
    this.firstLead = ["{", stringify(name), ":"].join("");
    this.lead = [",", stringify(name), ":"].join("");
  }

  partText(part: Json): string {
    const known = this.#parts.indexOf(part);
    if (known >= 0) return this.#texts[known]!;
    const text = stringify(part);
    this.#parts[this.#oldest] = part;
    this.#texts[this.#oldest] = text;
    this.#oldest = (this.#oldest + 1) % MAX_TEXTS_A_NAME;
    return text;
  }
}

const membersByName = new Map<string, NamedMembers>();

function membersOf(name: string): NamedMembers {
  const known = membersByName.get(name);
  if (known !== undefined) return known;
  if (membersByName.size === MAX_NAMES) membersByName.clear();
  const members = new NamedMembers(name);
  membersByName.set(name, members);
  return members;
}

/** ASCII without what JSON, or Go's encoder, escapes: controls, `"`, `\`, `<`, `>` and `&`. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/;

/** The text of a value that no other object shares. */
export function valueText(value: Json): string {
  if (typeof value === "string") return plainText.test(value) ? `"${value}"` : stringify(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : stringify(value);
}

/** The text before the value of a member. */
export function leadOf(name: string, isFirst: boolean): string {
  const members = membersOf(name);
  return isFirst ? members.firstLead : members.lead;
}

/** The text of an object that has parts of a template. */
export function objectText(object: JsonObject): string {
  let text = "";
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const members = membersOf(name);
    text += text === "" ? members.firstLead : members.lead;
    text += typeof value === "object" && value !== null ? members.partText(value) : valueText(value);
  }
  return text === "" ? "{}" : `${text}}`;
}
