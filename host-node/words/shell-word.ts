/** Texts in commands that a user copies into a shell. */

/** The text as one word of a POSIX shell: unchanged where that is safe, else in single quotes. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
