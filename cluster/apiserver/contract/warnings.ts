/**
 * The Warning headers of one answer. Identical texts are sent once. If all together exceed the budget of 4096
 * characters, each is cut to 256. Warnings that still exceed the budget are not sent. Source: the API server's
 * filters/warning.go
 */

const totalBudgetCharacters = 4096;
const cutCharacters = 256;

export class Warnings {
  #texts: Set<string> | undefined;
  #characters = 0;
  #isCutting = false;

  add(text: string): void {
    if (text === "" || (this.#isCutting && this.#characters >= totalBudgetCharacters)) return;
    // Control characters are not allowed in a header.
    if (/\p{Cc}/u.test(text)) return;
    this.#texts ??= new Set();
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#characters += this.#isCutting
      ? charactersOf(text, cutCharacters)
      : charactersOf(text, totalBudgetCharacters + 1);
    if (this.#isCutting || this.#characters <= totalBudgetCharacters) return;
    this.#isCutting = true;
    this.#characters = [...this.#texts].reduce((sum, other) => sum + charactersOf(other, cutCharacters), 0);
  }

  get count(): number {
    return this.#texts?.size ?? 0;
  }

  /** The values of the headers: `299 - "text"`. */
  headers(): readonly string[] {
    return [...(this.#texts ?? [])].map((text) => {
      // A character has at most two code units.
      const kept = this.#isCutting ? [...text.slice(0, 2 * cutCharacters)].slice(0, cutCharacters).join("") : text;
      return `299 - "${kept.replace(/["\\]/g, "\\$&")}"`;
    });
  }
}

/** How many characters a text has, counted up to `limit`. */
function charactersOf(text: string, limit: number): number {
  if (text.length >= 2 * limit) return limit;
  return Math.min([...text].length, limit);
}
