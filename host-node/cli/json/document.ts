/**
 * What every JSON document of the command line begins with: what it is, and the version of its form.
 *
 * Invariant: the types of the documents are the one source of their schema (documents.ts, scripts/output-schema.ts). A
 * later Stint adds members and codes to a kind; a member that goes or changes its meaning makes a new version.
 */
export const VERSION = 1;

export interface Document<Kind extends string> {
  /** What the document is: the name of its schema in `$defs`. */
  readonly kind: Kind;
  /** Of the schema. Members are added without a new one. */
  readonly version: 1;
}

/** The first two members. */
export function head<Kind extends string>(kind: Kind): Document<Kind> {
  return { kind, version: VERSION };
}

/** A document as it is printed: one line. */
export function documentLine(document: object): string {
  return `${JSON.stringify(document)}\n`;
}
