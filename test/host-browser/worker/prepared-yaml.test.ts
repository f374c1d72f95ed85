/** The manifest that is read when the page is built: it is the same afterwards as read by the library, places too. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import type { YamlNode } from "../../../cluster/yaml/yaml-tree.ts";
import { FIRST_LESSON } from "../../../host-browser/catalogue/index.ts";
import { run } from "../../../host-browser/catalogue/make.ts";
import { prepare, preparedDocuments } from "../../../host-browser/worker/prepared-yaml.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** A node with all that can be asked of it. */
const plain = (node: YamlNode | undefined): unknown =>
  node && {
    offset: node.offset,
    value: node.value,
    members: [...(node.members ?? [])].map(([name, member]) => [name, member.offset, plain(member.node)]),
    items: node.items?.map(plain),
  };

describe("a prepared manifest", () => {
  test.each(["one-fails", "policies", "limit-per-index", "template-expansion"])("of %s is what it was", (name) => {
    const text = readFileSync(path.join(root, `examples/${name}.yaml`), "utf8");
    const documents = preparedDocuments(throughJson(prepare(text, readYaml(text))), text)!;
    expect(documents.map((document) => plain(document.root))).toEqual(readYaml(text).map(({ root }) => plain(root)));
    expect(documents.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test("is that text alone", () => {
    const prepared = prepare("a: 1", readYaml("a: 1"));
    expect(preparedDocuments(prepared, "a: 2")).toBeUndefined();
  });

  test("has no problems", () => {
    expect(() => prepare("a: [", readYaml("a: ["))).toThrow("only a manifest without problems is prepared");
  });
});

test("the bundle prepares the manifest of the first lesson", () => {
  const { yaml } = run(readFileSync(path.join(root, "examples/one-fails.yaml"), "utf8"));
  expect(FIRST_LESSON.scenario.yaml).toBe(yaml);
});
