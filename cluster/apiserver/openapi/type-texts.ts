/**
 * The descriptions of the types that only OpenAPI documents need: build/openapi.json, written by
 * scripts/build-schema.ts. The file has half a megabyte, so the host passes a function that reads it on the first
 * request for a document. A server without it, as in the library, serves documents without descriptions.
 */

export interface TypeText {
  readonly description: string;
  /** The descriptions of the fields; those that are structs have none. */
  readonly fields: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  /** Undefined: the type belongs to the group of the kind that reaches it. */
  readonly goPackage?: "core" | "meta" | `${string}/${string}` | undefined;
  /** Only where it differs from the zero of an always-written field. */
  readonly defaults?: Readonly<Record<string, string | number | boolean | object>> | undefined;
  /** Only where it differs from `merge`, for a field with a merge key. */
  readonly patchStrategies?: Readonly<Record<string, string>> | undefined;
  /** The values that a field may have, or the elements of a list. */
  readonly enums?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Of some fields only one is set. */
  readonly union?: object | undefined;
}

/** By the names in the schema; also `JobList` and the like, which the schema does not have. */
export type TypeTexts = Readonly<Record<string, TypeText>>;
