/**
 * The Warning headers of one answer. Identical texts are sent once; when all of them together exceed the budget
 * of 4096 characters, each is cut to 256.
 */

const totalBudgetCharacters = 4096;
const cutCharacters = 256;

export class Warnings {
  private texts: Set<string> | undefined;

  add(text: string): void {
    // Control characters are not allowed in a header.
    if (text !== "" && !/[\u0000-\u001f\u007f]/.test(text)) (this.texts ??= new Set()).add(text);
  }

  get count(): number {
    return this.texts?.size ?? 0;
  }

  /** The values of the headers: `299 - "text"`. */
  headers(): readonly string[] {
    if (this.texts === undefined) return [];
    const total = [...this.texts].reduce((sum, text) => sum + [...text].length, 0);
    return [...this.texts].map((text) => {
      const kept = total > totalBudgetCharacters ? [...text].slice(0, cutCharacters).join("") : text;
      return `299 - "${kept.replace(/["\\]/g, "\\$&")}"`;
    });
  }
}
