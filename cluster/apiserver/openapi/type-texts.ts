/**
 * What only the documents of OpenAPI need to know of the types: build/openapi.json, which scripts/build-schema.ts
 * writes. It has half a megabyte, so the host hands in a function that reads it when somebody asks for a document. A
 * server without it, as in the library, has documents without descriptions.
 */

export interface TypeText {
  readonly description: string;
  /** The descriptions of the fields; those that are structs have none. */
  readonly fields: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  /** Undefined: the type belongs to the group of the kind that reaches it. */
  readonly goPackage?: "core" | "meta" | undefined;
  /** Where it is not the zero of a field that is always written. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Where it is not `merge`, for a field with a merge key. */
  readonly patchStrategies?: Readonly<Record<string, string>> | undefined;
  /** The values that a field may have, or the elements of a list. */
  readonly enums?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Of some fields only one is set. */
  readonly union?: object | undefined;
}

/** By the names in the schema; also `JobList` and the like, which the schema does not have. */
export type TypeTexts = Readonly<Record<string, TypeText>>;
