/**
 * The query of a request as Go's handlers read it: the first value of a name counts, any word but `0` and
 * `false` is true, unknown names are ignored.
 */
import { badRequest } from "./status-errors.ts";

export class Query {
  /** Undefined while there is none: most requests have no query. */
  #values: Map<string, string[]> | undefined;

  /** @param text what follows the question mark */
  constructor(text: string) {
    if (text === "") return;
    this.#values = new Map();
    for (const pair of text.split("&")) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
      const known = this.#values.get(name);
      if (known) known.push(value);
      else this.#values.set(name, [value]);
    }
  }

  get isEmpty(): boolean {
    return this.#values === undefined;
  }

  has(name: string): boolean {
    return this.#values?.has(name) ?? false;
  }

  all(name: string): readonly string[] {
    return this.#values?.get(name) ?? [];
  }

  /** The first value; empty if there is none. */
  text(name: string): string {
    return this.#values?.get(name)?.[0] ?? "";
  }

  boolean(name: string): boolean {
    const value = this.#values?.get(name)?.[0];
    return value !== undefined && value !== "0" && value.toLowerCase() !== "false";
  }

  /** A whole number, or undefined if the name is missing or empty. @throws ApiError 400 with Go's text */
  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === "") return undefined;
    if (!/^[+-]?\d+$/.test(value))
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
    return Number(value);
  }
}

/** Percent and plus decoding; a malformed escape stays as it is. */
function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
