/**
 * What the binding leaves out of the pods of a question, the engine never reads: of a pod with every field that the API
 * has, all that is in the list of the engine's reader is kept, but for what UNREAD names.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { leanQuestion } from "../../../bindings/js/lean-question.ts";
import { readSchemaText } from "../../../cluster/apiserver/schema/schema-text.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const { types } = JSON.parse(read("build/schema.json")) as { types: Record<string, string> };

/** The names that the engine's reader keeps of pods. */
const listed = [
  .../POD_MEMBERS: StaticArray<string> = \[(.*?)\];/s
    .exec(read("assembly/verdict/read-members.ts"))![1]!
    .matchAll(/"(.+?)"/g),
].map(([, name]) => name!);

/** Fields that have such a name, and that account and verdict do not ask for. */
const UNREAD = [
  "metadata.ownerReferences[].name",
  "spec.resources.limits.memory",
  "status.resources.limits.memory",
  "status.initContainerStatuses[].resources.limits.memory",
  "status.containerStatuses[].resources.limits.memory",
];

/** A value of this type, with the fields that are listed, and others beside them. */
function valueOf(type: string): unknown {
  if (type.startsWith("[]")) return [valueOf(type.slice(2))];
  if (type.startsWith("map[")) return Object.fromEntries([...listed, "else"].map((name) => [name, "text"]));
  const text = types[type];
  if (text === undefined) return "text";
  const fields = readSchemaText(type, text).fields.filter(({ name }) => listed.includes(name));
  return { ...Object.fromEntries(fields.map((field) => [field.name, valueOf(field.type)])), else: "text" };
}

function pathsOf(value: unknown, at = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${at}[]`));
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [at];
  return Object.entries(value).flatMap(([name, member]) => pathsOf(member, at === "" ? name : `${at}.${name}`));
}

test("what the engine reads of a pod is kept", () => {
  const pod = valueOf("Pod") as object;
  const [lean] = leanQuestion({ pods: [pod] }).pods;
  const kept = new Set(pathsOf(lean));
  // A map has all names here, and of each the engine asks for its own.
  const isOwn = (name: string): boolean =>
    !/annotations\.|limits\./.test(name) || /annotations\.batch|limits\.memory/.test(name);
  const lost = pathsOf(pod).filter((name) => !kept.has(name) && !name.endsWith("else") && isOwn(name));
  expect(lost.toSorted()).toEqual(UNREAD.toSorted());
  expect(kept.size).toBeGreaterThan(60);
});

test("what the engine does not read of a pod is left out", () => {
  const [lean] = leanQuestion({ pods: [valueOf("Pod") as object] }).pods;
  expect(Object.keys(lean!)).toEqual(["metadata", "spec", "status"]);
  const { metadata, spec } = lean as { metadata: object; spec: { containers: object[] } };
  for (const object of [metadata, spec, spec.containers[0]!]) expect(object).not.toHaveProperty("else");
});

test("what is not of its type stays as it is, for the engine to refuse", () => {
  const odd = [null, 7, [], { metadata: null, spec: [1], status: { conditions: {}, containerStatuses: [null, "x"] } }];
  const pods = odd as unknown as object[];
  expect(JSON.parse(JSON.stringify(leanQuestion({ pods })))).toEqual({ pods: odd });
  const none = { pods: "none" as unknown as object[] };
  expect(leanQuestion(none)).toEqual(none);
});
