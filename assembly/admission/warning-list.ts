/**
 * The warnings of one answer. Invariant: each text is given once, and there are at most MAX_WARNINGS. What is warned of
 * is left to warnings.ts.
 */

/** The most warnings of one answer. Further ones are dropped. The API server stops at 4096 characters of text. */
export const MAX_WARNINGS: i32 = 64;

/** The warnings of one answer. */
export class Warnings {
  list: string[] = [];

  add(text: string): void {
    if (this.list.length < MAX_WARNINGS && !this.list.includes(text)) this.list.push(text);
  }

  get full(): bool {
    return this.list.length >= MAX_WARNINGS;
  }
}
