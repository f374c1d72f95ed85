/**
 * Objects as protobuf and back. The bytes and the errors are those of Kubernetes' own types; test/kubernetes/go-types/
 * compares all kinds with random values in every field.
 */
import { describe, expect, test } from "vitest";
import { normalize } from "../../../../cluster/apiserver/schema/decode.ts";
import { decode } from "../../../../cluster/apiserver/protobuf/decode.ts";
import { encode } from "../../../../cluster/apiserver/protobuf/encode.ts";
import { fromEnvelope, openEnvelope, toFrame, toProtobuf } from "../../../../cluster/apiserver/protobuf/envelope.ts";
import { structType } from "../../../../cluster/apiserver/schema/schema.ts";
import type { JsonObject } from "../../../../cluster/values/types.ts";

const CONFIG_MAP_HEAD = "6b3873000a0f0a0276311209436f6e6669674d6170";
const configMap = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "c", generation: 2, creationTimestamp: "2026-01-01T00:00:00Z" },
  data: { a: "x", b: "" },
  binaryData: { k: "AAE=" },
} satisfies JsonObject;
const configMapHex = `${CONFIG_MAP_HEAD}12330a190a016312001a0022002a003200380242080880f2d6ca06100012060a016112017812050a016212001a070a016b120200011a002200`;

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes!).toString("hex");
}

function read(text: string, kind = "ConfigMap"): JsonObject {
  return fromEnvelope(openEnvelope(Buffer.from(text, "hex")), { apiVersion: "v1", kind });
}

test("an object is written as Go writes it, whatever the order of its maps", () => {
  expect(hex(toProtobuf(configMap))).toBe(configMapHex);
  expect(hex(toProtobuf({ ...configMap, data: { b: "", a: "x" } }))).toBe(configMapHex);
});

test("keys are sorted by their bytes, and not as JavaScript does", () => {
  const data = { "\u{1f600}": "", "\uffff": "" };
  expect(Object.keys(data).sort()).toEqual(["\u{1f600}", "\uffff"]);
  expect(hex(encode({ data }, structType("ConfigMap")))).toMatch(/1207.*efbfbf.*f09f9880/);
});

test("an object is read", () => {
  expect(normalize(read(configMapHex), structType("ConfigMap"))).toEqual(configMap);
});

test("a list has its items without their kinds", () => {
  const items = [{ metadata: { name: "c" } }];
  expect(hex(toProtobuf({ kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "7" }, items }))).toBe(
    "6b3873000a130a027631120d436f6e6669674d61704c697374121e0a070a001201371a0012130a110a016312001a0022002a003200380042001a002200",
  );
});

test("an event of a watch has its length before it", () => {
  expect(hex(toFrame("ADDED", { kind: "Status", apiVersion: "v1", metadata: {}, code: 410 }))).toBe(
    "000000340a054144444544122b0a296b3873000a0c0a027631120653746174757312110a060a0012001a0012001a002200309a031a002200",
  );
});

test("a Table has no form in protobuf", () => {
  expect(toProtobuf({ kind: "Table", apiVersion: "meta.k8s.io/v1" })).toBeUndefined();
  expect(toProtobuf({ kind: "PodSpec", apiVersion: "v1" })).toBeUndefined();
});

test("an envelope without a kind holds what is expected", () => {
  expect(read("6b38730012060a040a026162")).toEqual({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "ab" } });
});

test("unknown fields are skipped, a message that comes twice is merged, numbers may be packed", () => {
  expect(read(`${CONFIG_MAP_HEAD}120e0a030a0163ca3e017a0a031a016e`)).toMatchObject({
    metadata: { name: "c", namespace: "n" },
  });
  expect(decode(Buffer.from("1a020103" + "1805", "hex"), structType("PodFailurePolicyOnExitCodesRequirement"))).toEqual(
    {
      values: [1, 3, 5],
    },
  );
});

describe("what cannot be read is refused in Go's words", () => {
  test.each([
    ["", "empty data"],
    ["7b7d", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
    ["6b387300", "empty body"],
    ["6b387300ff", "unexpected EOF"],
    [`${CONFIG_MAP_HEAD}12020a05`, "unexpected EOF"],
    [`${CONFIG_MAP_HEAD}1202080a`, "proto: wrong wireType = 0 for field ObjectMeta"],
    [`${CONFIG_MAP_HEAD}120100`, "proto: ConfigMap: illegal tag 0 (wire type 0)"],
    [`${CONFIG_MAP_HEAD}1202ff07`, "proto: illegal wireType 7"],
    [`${CONFIG_MAP_HEAD}120104`, "proto: ConfigMap: wiretype end group for non-group"],
  ])("%s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test("messages that are nested too deeply", () => {
    const schema = structType("JSONSchemaProps");
    let object: JsonObject = {};
    for (let depth = 0; depth < 1_100; depth++) object = { not: object };
    expect(() => decode(encode(object, schema), schema)).toThrow("exceeded max depth");
  });
});
