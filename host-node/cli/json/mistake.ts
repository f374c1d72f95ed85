/** Mistakes in the input of a command, as its documents have them. */
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";

/** A mistake in a file, and its place. Line and column count from 1. */
export interface Mistake {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export function mistakesOf(diagnostics: readonly Diagnostic[]): Mistake[] {
  return diagnostics.map(({ position: { file, line, column }, message }) => ({ file, line, column, message }));
}
