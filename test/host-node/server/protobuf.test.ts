/** Protobuf in front of a cluster: what a client that speaks it sends and gets. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ApiResponse, Method } from "../../../bindings/js/host.ts";
import { fromEnvelope, openEnvelope, toProtobuf } from "../../../cluster/apiserver/protobuf/envelope.ts";
import { serveCustomResources } from "../../../cluster/bootstrap/custom-resources.ts";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { Cluster, type JsonObject, type StreamingResponse, VirtualClock } from "../../../cluster/index.ts";
import { withProtobuf } from "../../../host-node/server/protobuf.ts";
import { crds, widget, widgetDefinition } from "../../kubernetes/custom-resources/widgets.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const configMap = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "c" }, data: { a: "b" } };

let cluster: Cluster;
beforeEach(() => {
  cluster = new Cluster({ clock: new VirtualClock(Date.UTC(2026, 0, 1)), random: () => 0.5, admission: () => "{}" });
});

interface Asked {
  readonly body?: Uint8Array | string;
  readonly accept?: string;
  readonly contentType?: string;
}

function send(method: Method, path: string, { body, accept = PROTOBUF, contentType = PROTOBUF }: Asked = {}) {
  return withProtobuf(cluster).handle({
    method,
    path,
    headers: { accept, "content-type": contentType },
    ...(body !== undefined && { body }),
  });
}

function read(answer: ApiResponse | StreamingResponse): JsonObject {
  expect(answer.headers["content-type"]).toBe(PROTOBUF);
  return fromEnvelope(openEnvelope((answer as ApiResponse).body as Uint8Array), { kind: "", apiVersion: "" });
}

function create(): ApiResponse {
  return send("POST", CONFIG_MAPS, { body: toProtobuf(configMap)! }) as ApiResponse;
}

describe("an object", () => {
  it("is created, and answered in the same form", () => {
    const answer = create();
    expect(answer.status).toBe(201);
    expect(read(answer)).toMatchObject({ kind: "ConfigMap", metadata: { name: "c" }, data: { a: "b" } });
    expect(
      JSON.parse(
        String((cluster.handle({ method: "GET", path: `${CONFIG_MAPS}/c`, headers: {} }) as ApiResponse).body),
      ),
    ).toMatchObject(configMap);
  });

  it("is deleted with options", () => {
    create();
    const options = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "another" } };
    const refused = send("DELETE", `${CONFIG_MAPS}/c`, { body: toProtobuf(options)! }) as ApiResponse;
    expect(refused.status).toBe(409);
    expect(read(refused)).toMatchObject({ kind: "Status", reason: "Conflict", code: 409 });
    expect((send("DELETE", `${CONFIG_MAPS}/c`) as ApiResponse).status).toBe(200);
  });

  it("of a list or of its metadata alone are protobuf too", () => {
    create();
    const list = send("GET", CONFIG_MAPS) as ApiResponse;
    expect(openEnvelope(list.body as Uint8Array)).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    const accept = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    expect(read(send("GET", `${CONFIG_MAPS}/c`, { accept }))).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { name: "c" },
    });
  });
});

describe("the form of an answer", () => {
  it.each([
    [`${PROTOBUF},application/json`, PROTOBUF],
    [`application/json,${PROTOBUF}`, "application/json"],
    [`application/json;q=0.5,${PROTOBUF}`, PROTOBUF],
    ["*/*", "application/json"],
    [`application/json;as=Table;g=meta.k8s.io;v=v1,${PROTOBUF}`, "application/json"],
  ])("for %s is %s", (accept, expected) => {
    expect(send("GET", CONFIG_MAPS, { accept }).headers["content-type"]).toBe(expected);
  });

  it("cannot be a Table in protobuf", () => {
    const accept = `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`;
    const answer = send("GET", CONFIG_MAPS, { accept }) as ApiResponse;
    expect(answer.status).toBe(406);
    expect(JSON.parse(String(answer.body))).toMatchObject({
      message: expect.stringMatching(/^only the following media types are accepted: /),
    });
  });

  it("is JSON for what has no other", () => {
    expect(send("GET", "/version").headers["content-type"]).toBe("application/json");
  });
});

describe("a watch", () => {
  it("sends events with their lengths", () => {
    const answer = send("GET", `${CONFIG_MAPS}?watch=true`) as StreamingResponse;
    expect(answer.headers["content-type"]).toBe(`${PROTOBUF};stream=watch`);
    const chunks: Buffer[] = [];
    const stop = answer.subscribe({ data: (chunk) => chunks.push(Buffer.from(chunk as Uint8Array)), end: () => {} });
    create();
    stop();
    const frame = Buffer.concat(chunks);
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    // Type, then the object in its envelope.
    expect(frame.subarray(4, 11).toString("latin1")).toBe("\n\x05ADDED");
    const start = frame.indexOf("k8s\0");
    expect(openEnvelope(frame.subarray(start))).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  });

  it("sends an error as an event", () => {
    const answer = send("GET", `${CONFIG_MAPS}?watch=true&resourceVersion=1&timeoutSeconds=-1`) as StreamingResponse;
    const chunks: Buffer[] = [];
    answer.subscribe({ data: (chunk) => chunks.push(Buffer.from(chunk as Uint8Array)), end: () => {} });
    expect(Buffer.concat(chunks).subarray(4, 11).toString("latin1")).toBe("\n\x05ERROR");
  });
});

describe("a body that cannot be read", () => {
  const refused = (body: Uint8Array, path = CONFIG_MAPS, method: Method = "POST"): JsonObject =>
    read(send(method, path, { body }));

  it.each<[string, string, string]>([
    [
      "no protobuf",
      "7b7d",
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})",
    ],
    ["an empty envelope", "6b387300", "empty body (6b387300)"],
    ["half an envelope", "6b387300ff", "unexpected EOF (6b387300ff)"],
  ])("is %s", (_, hex, message) => {
    expect(refused(Buffer.from(hex, "hex"))).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: `the object provided is unrecognized (must be of type ConfigMap): ${message}`,
    });
  });

  it("names the kind that it claims to be", () => {
    const bytes = Buffer.from("6b3873000a0f0a0276311209436f6e6669674d617012020a05", "hex");
    expect(refused(bytes)["message"]).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    );
    expect(refused(bytes, "/api/v1/namespaces/default/pods/p/binding")["message"]).toMatch(/handled as a Binding: /);
    expect(refused(bytes, `${CONFIG_MAPS}/c`, "DELETE")["message"]).toBe("unexpected EOF");
  });

  it("has what the path takes, if it does not say what it is", () => {
    // Metadata with a name.
    const bytes = Buffer.from("6b38730012060a040a026162", "hex");
    expect(read(send("POST", CONFIG_MAPS, { body: bytes }))).toMatchObject({
      kind: "ConfigMap",
      metadata: { name: "ab" },
    });
  });

  it("never ends the server, whatever its bytes", () => {
    const whole = Buffer.from(toProtobuf(configMap)!);
    for (let index = 0; index < whole.length; index++) {
      for (const byte of [0, 0x7f, 0x80, 0xff]) {
        const body = Buffer.from(whole);
        body[index] = byte;
        expect([200, 201, 400, 409, 422]).toContain((send("POST", CONFIG_MAPS, { body }) as ApiResponse).status);
      }
      expect((send("POST", CONFIG_MAPS, { body: whole.subarray(0, index) }) as ApiResponse).status).not.toBe(500);
    }
  });
});

it("protobuf leaves patches to the cluster", () => {
  create();
  expect((send("PATCH", `${CONFIG_MAPS}/c`, { body: toProtobuf(configMap)! }) as ApiResponse).status).toBe(415);
});

describe("a custom resource", () => {
  it("stays JSON, also in a watch", () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    cluster = new Cluster({ clock, random: () => 0.5, admission: () => "{}", moreResources });
    serveCustomResources({ cluster, clock });
    const asJson = { accept: "application/json", contentType: "application/json" };
    const group = "example.com";
    send("POST", crds, { body: JSON.stringify(widgetDefinition(group)), ...asJson });
    clock.runDeferred();
    const widgets = `/apis/${group}/v1/namespaces/default/widgets`;
    const accept = `${PROTOBUF},application/json`;
    const created = send("POST", widgets, { body: JSON.stringify(widget(group, "w")), ...asJson, accept });
    expect([created.status, created.headers["content-type"]]).toEqual([201, "application/json"]);
    const watch = send("GET", `${widgets}?watch=true`, { accept }) as StreamingResponse;
    expect(watch.headers["content-type"]).toBe("application/json");
    let text = "";
    watch.subscribe({ data: (chunk) => (text += String(chunk)), end() {} })();
    expect(JSON.parse(text)).toMatchObject({ type: "ADDED", object: { kind: "Widget", metadata: { name: "w" } } });
  });
});
