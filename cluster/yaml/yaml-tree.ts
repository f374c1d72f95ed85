/** The output of a YAML parser: values with their places. Leaves out how a text is parsed. */

/** A value of a YAML text. */
export interface YamlNode {
  /** Where it begins: the first key of a map, the first dash of a list. */
  readonly offset: number;
  /** As JSON would hold it. */
  readonly value: unknown;
  /** Of a map: its members by name. */
  readonly members?: ReadonlyMap<string, YamlMember> | undefined;
  /** Of a list. */
  readonly items?: readonly YamlNode[] | undefined;
}

export interface YamlMember {
  /** Where its name begins. */
  readonly offset: number;
  /** Undefined: null, or nothing. */
  readonly node: YamlNode | undefined;
}

export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
  /** The earlier place of the same key. Undefined: the problem is another one. */
  readonly before?: number;
}

export interface YamlDocument {
  /** With a root: keys that are there twice. */
  readonly problems: readonly YamlProblem[];
  /** Undefined: it is empty, or cannot be read. */
  readonly root: YamlNode | undefined;
}

/**
 * Reads all documents of a text, as kubectl does. It does not throw. With `isJson` the text is meant as JSON, and
 * problems use JSON's words.
 */
export type YamlReader = (text: string, isJson?: boolean) => readonly YamlDocument[];
