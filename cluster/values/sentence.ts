/** Texts of the engine and of the API as sentences, which begin with a capital and have an end. */

export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** With a full stop where the text has no other end. */
export function asSentence(text: string): string {
  return `${capitalised(text)}${/[.!?]$/.test(text) ? "" : "."}`;
}
