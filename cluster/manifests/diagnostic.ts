/** A mistake in the user's input, and its place: every check of a manifest reports in this form. */

/** Line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Diagnostic {
  readonly position: Position;
  readonly message: string;
}

/** `job.yaml:12:17: spec.parallelism: Invalid value: -1: …`, as editors and compilers understand it. */
export function diagnosticText({ position: { file, line, column }, message }: Diagnostic): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** Sorts diagnostics by their place in the files, and the files by their first appearance. */
export function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const files = [...new Set(diagnostics.map(({ position }) => position.file))];
  const fileOf = ({ file }: Position): number => files.indexOf(file);
  return diagnostics.toSorted(
    ({ position: a }, { position: b }) => fileOf(a) - fileOf(b) || a.line - b.line || a.column - b.column,
  );
}

/** Input that was refused. The message has one line a diagnostic. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(diagnosticText).join("\n"));
    this.diagnostics = diagnostics;
  }
}
