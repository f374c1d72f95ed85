/**
 * A manifest parsed at build time, so that the first picture does not wait for the YAML library.
 *
 * Invariant: the result equals that of the library, places included. Leaves out every other text.
 */
import type { YamlDocument, YamlMember, YamlNode } from "../../cluster/yaml/yaml-tree.ts";

/** A node as JSON: where it begins, and its value; for a map its members, for a list its items. */
type PackedNode =
  | readonly [offset: number, kind: "value", value: unknown]
  | readonly [offset: number, kind: "map", members: readonly (readonly [string, number, PackedNode | null])[]]
  | readonly [offset: number, kind: "list", items: readonly PackedNode[]];

/** A text and its documents, as JSON. */
export interface PreparedYaml {
  readonly text: string;
  readonly documents: readonly PackedNode[];
}

/** @param documents those of the text, without problems. @throws Error when they have some */
export function prepare(text: string, documents: readonly YamlDocument[]): PreparedYaml {
  return {
    text,
    documents: documents.map(({ problems, root }) => {
      if (problems.length > 0 || root === undefined) throw new Error("only a manifest without problems is prepared");
      return pack(root);
    }),
  };
}

/** The documents of a prepared text; undefined for any other. */
export function preparedDocuments({ text, documents }: PreparedYaml, asked: string): YamlDocument[] | undefined {
  return asked === text ? documents.map((root) => ({ problems: [], root: unpack(root) })) : undefined;
}

function pack({ offset, value, members, items }: YamlNode): PackedNode {
  if (items !== undefined) return [offset, "list", items.map(pack)];
  if (typeof value !== "object" || value === null || members === undefined) return [offset, "value", value];
  return [offset, "map", [...members].map(([name, member]) => [name, member.offset, packed(member.node)])];
}

function packed(node: YamlNode | undefined): PackedNode | null {
  return node === undefined ? null : pack(node);
}

function unpack(node: PackedNode): YamlNode {
  const [offset] = node;
  if (node[1] === "list") {
    const items = node[2].map(unpack);
    return { offset, value: items.map(({ value }) => value), items };
  }
  if (node[1] === "value") return { offset, value: node[2], members: new Map() };
  const members = new Map(node[2].map(([name, at, child]): [string, YamlMember] => [name, memberOf(at, child)]));
  return {
    offset,
    value: Object.fromEntries([...members].map(([name, { node }]) => [name, node?.value ?? null])),
    members,
  };
}

function memberOf(offset: number, child: PackedNode | null): YamlMember {
  return { offset, node: child === null ? undefined : unpack(child) };
}
