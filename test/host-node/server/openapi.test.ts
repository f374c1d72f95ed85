/** OpenAPI v2 over HTTP: JSON for most clients, and the protobuf that kubectl asks for. */
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { Cluster, VirtualClock } from "../../../cluster/index.ts";
import { withProtobuf } from "../../../host-node/server/protobuf.ts";
import { readTypeTexts } from "../../../host-node/type-texts.ts";

const ACCEPT = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const server = withProtobuf(
  new Cluster({
    clock: new VirtualClock(0),
    random: Math.random,
    admission: () => "{}",
    moreResources,
    typeTexts: readTypeTexts,
  }),
);

function ask(accept: string): { readonly type: string; readonly body: Uint8Array | string } {
  const answer = server.handle({ method: "GET", path: "/openapi/v2?timeout=32s", headers: { accept } });
  if (!("body" in answer)) throw new Error("a stream");
  return { type: String(answer.headers["content-type"]), body: answer.body };
}

/** Field → the bytes or numbers of it, of a message. */
function fieldsOf(bytes: Uint8Array): Map<number, (Uint8Array | number)[]> {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | number)[]>();
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    fields.set(number, [...(fields.get(number) ?? []), wire === 0 ? reader.uint32() : reader.bytes()]);
  }
  return fields;
}

const messages = (bytes: Uint8Array, number: number): Uint8Array[] =>
  (fieldsOf(bytes).get(number) ?? []) as Uint8Array[];
const texts = (bytes: Uint8Array, number: number): string[] =>
  messages(bytes, number).map((text) => Buffer.from(text).toString());
/** The value of the pair with a name. */
const named = (pairs: readonly Uint8Array[], name: string): Uint8Array =>
  messages(
    pairs.find((pair) => texts(pair, 1)[0] === name)!,
    2,
  )[0]!;

test("JSON has the definitions of all groups, and operations with their kinds", () => {
  const { type, body } = ask("application/json");
  expect(type).toBe("application/json");
  const { swagger, definitions, paths } = JSON.parse(String(body));
  expect(swagger).toBe("2.0");
  expect(definitions["io.k8s.api.batch.v1.JobSpec"].properties.template).toEqual({
    description: expect.any(String),
    $ref: "#/definitions/io.k8s.api.core.v1.PodTemplateSpec",
  });
  expect(definitions["io.k8s.api.core.v1.Container"].properties.args.items).toEqual({ type: "string" });
  expect(definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"].type).toBe("string");
  expect(definitions["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]["x-kubernetes-group-version-kind"]).toEqual(
    expect.arrayContaining([
      { group: "", kind: "DeleteOptions", version: "v1" },
      { group: "batch", kind: "DeleteOptions", version: "v1" },
    ]),
  );
  const { patch } = paths["/apis/batch/v1/namespaces/{namespace}/jobs/{name}"];
  expect(patch.consumes).toContain("application/apply-patch+yaml");
  expect(patch.parameters).toContainEqual({
    name: "body",
    in: "body",
    required: true,
    schema: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch" },
  });
  expect(patch.responses[200].schema).toEqual({ $ref: "#/definitions/io.k8s.api.batch.v1.Job" });
});

test("protobuf has the same, with the numbers of gnostic's messages", () => {
  const { type, body } = ask(ACCEPT);
  // Go cannot read a media type with an @.
  expect(type).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  const document = body as Uint8Array;
  const json = JSON.parse(String(ask("application/json").body));
  expect(texts(document, 1)).toEqual(["2.0"]);
  const definitions = messages(messages(document, 9)[0]!, 1);
  expect(definitions.map((pair) => texts(pair, 1)[0])).toEqual(Object.keys(json.definitions));
  const spec = named(definitions, "io.k8s.api.batch.v1.JobSpec");
  expect(texts(spec, 19)).toEqual(["template"]);
  const properties = messages(messages(spec, 25)[0]!, 1);
  expect(texts(named(properties, "template"), 1)).toEqual(["#/definitions/io.k8s.api.core.v1.PodTemplateSpec"]);
  expect(texts(messages(named(properties, "backoffLimit"), 22)[0]!, 1)).toEqual(["integer"]);
  const job = named(definitions, "io.k8s.api.batch.v1.Job");
  expect(JSON.parse(texts(named(messages(job, 31), "x-kubernetes-group-version-kind"), 2)[0]!)).toEqual([
    { group: "batch", kind: "Job", version: "v1" },
  ]);
  const paths = messages(messages(document, 8)[0]!, 2);
  expect(paths.map((pair) => texts(pair, 1)[0])).toEqual(Object.keys(json.paths));
});

test("the protobuf is that of the document at hand", () => {
  const [first, again] = [ask(ACCEPT), ask(ACCEPT)];
  expect(again.body).toBe(first.body);
});
