/** Sources with something planted, as the compilers should see them. The files stay as they are. */

export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  /** Its replacement. */
  readonly before: string;
}

/**
 * The text of a file after all edits of it.
 * @throws Error if the file has changed since an edit was written: its text is not there, or not once
 */
export function plantedIn(file: string, source: string, edits: readonly Edit[]): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((planted, { text, before }) => {
      const [head, tail, ...more] = planted.split(text);
      if (tail === undefined || more.length > 0)
        throw new Error(`${file} has this ${more.length === 0 ? 0 : more.length + 1} times instead of once: ${text}`);
      return head + before + tail;
    }, source);
}
