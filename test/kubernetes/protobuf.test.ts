/**
 * Protobuf sent to a real API server and to Stint's: the same answers, to objects and to bodies that cannot be read.
 * Times, uids and versions differ, and so do managed fields, which this cluster does not keep.
 */
import { readFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Method } from "../../bindings/js/host.ts";
import { fromEnvelope, openEnvelope, toProtobuf } from "../../cluster/apiserver/protobuf/envelope.ts";
import { Cluster, type JsonObject, VirtualClock } from "../../cluster/index.ts";
import { withProtobuf } from "../../host-node/server/protobuf.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const CONFIG_MAP = "6b3873000a0f0a0276311209436f6e6669674d6170";

const missing = whyUnavailable();
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

interface Asked {
  readonly method: Method;
  readonly path: string;
  readonly body?: Uint8Array;
  readonly accept?: string;
}

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

const object = (kind: string, apiVersion: string, rest: JsonObject): Uint8Array =>
  toProtobuf({ kind, apiVersion, ...rest })!;
const raw = (hex: string): Uint8Array => Buffer.from(hex, "hex");

/** In this order, because later ones need what earlier ones made. */
const cases: Readonly<Record<string, Asked>> = {
  "a ConfigMap": {
    method: "POST",
    path: CONFIG_MAPS,
    body: object("ConfigMap", "v1", { metadata: { name: "c" }, data: { b: "", a: "x" }, binaryData: { k: "AAE=" } }),
  },
  "the same once more": {
    method: "POST",
    path: CONFIG_MAPS,
    body: object("ConfigMap", "v1", { metadata: { name: "c" } }),
  },
  "a Secret": {
    method: "POST",
    path: "/api/v1/namespaces/default/secrets",
    body: object("Secret", "v1", { metadata: { name: "s" }, stringData: { a: "b" }, type: "Opaque" }),
  },
  "a Lease": {
    method: "POST",
    path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    body: object("Lease", "coordination.k8s.io/v1", {
      metadata: { name: "l" },
      spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.123456Z" },
    }),
  },
  "the Lease again": { method: "GET", path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/l" },
  "its metadata": {
    method: "GET",
    path: `${CONFIG_MAPS}/c`,
    accept: `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  },
  "a Table": { method: "GET", path: `${CONFIG_MAPS}/c`, accept: `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1` },
  "what is not there": { method: "GET", path: `${CONFIG_MAPS}/none` },
  "another kind than the path's": {
    method: "POST",
    path: CONFIG_MAPS,
    body: object("Secret", "v1", { metadata: { name: "x" } }),
  },
  "no protobuf": { method: "POST", path: CONFIG_MAPS, body: raw("7b7d") },
  "other bytes": { method: "POST", path: CONFIG_MAPS, body: raw("00".repeat(40)) },
  "nothing": { method: "POST", path: CONFIG_MAPS },
  "an empty envelope": { method: "POST", path: CONFIG_MAPS, body: raw("6b387300") },
  "half an envelope": { method: "POST", path: CONFIG_MAPS, body: raw("6b387300ff") },
  "an envelope without a kind": { method: "POST", path: CONFIG_MAPS, body: raw("6b38730012060a040a026162") },
  "half an object": { method: "POST", path: CONFIG_MAPS, body: raw(`${CONFIG_MAP}12020a05`) },
  "a number for a message": { method: "POST", path: CONFIG_MAPS, body: raw(`${CONFIG_MAP}1202080a`) },
  "field 0": { method: "POST", path: CONFIG_MAPS, body: raw(`${CONFIG_MAP}120100`) },
  "the end of a group": { method: "POST", path: CONFIG_MAPS, body: raw(`${CONFIG_MAP}120104`) },
  "a patch": { method: "PATCH", path: `${CONFIG_MAPS}/c`, body: object("ConfigMap", "v1", {}) },
  "options that do not fit": {
    method: "DELETE",
    path: `${CONFIG_MAPS}/c`,
    body: object("DeleteOptions", "v1", { preconditions: { uid: "another" } }),
  },
  "options that cannot be read": { method: "DELETE", path: `${CONFIG_MAPS}/c`, body: raw("6b387300ff") },
  "a delete": { method: "DELETE", path: `${CONFIG_MAPS}/c`, body: object("DeleteOptions", "v1", {}) },
};

describe.skipIf(missing !== undefined)("protobuf as a real API server takes and gives it", () => {
  let controlPlane: ControlPlane;
  const cluster = new Cluster({
    clock: new VirtualClock(Date.UTC(2026, 0, 1)),
    random: Math.random,
    admission: () => "{}",
  });
  const stint = withProtobuf(cluster);
  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });
  afterAll(() => controlPlane?.stop());

  const headers = (accept = PROTOBUF): Record<string, string> => ({ accept, "content-type": PROTOBUF });

  function askStint({ accept, ...asked }: Asked): Answered {
    const answer = stint.handle({ ...asked, headers: headers(accept) });
    if (!("body" in answer)) throw new Error("a stream");
    return {
      status: answer.status,
      type: String(answer.headers["content-type"]),
      body: Buffer.from(answer.body as Uint8Array),
    };
  }

  function askReal({ method, path, body, accept }: Asked): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const ca = readFileSync(controlPlane.caFile);
      const asked = httpsRequest(
        new URL(path, controlPlane.url),
        {
          method,
          ca,
          headers: {
            ...headers(accept),
            "content-length": body?.length ?? 0,
            authorization: `Bearer ${controlPlane.token()}`,
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("end", () =>
            resolve({
              status: answer.statusCode!,
              type: String(answer.headers["content-type"]),
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      asked.on("error", reject);
      asked.end(body);
    });
  }

  /** Without what differs between any two servers. */
  function readable({ status, type, body }: Answered): object {
    if (type !== PROTOBUF) return { status, type, text: body.toString() };
    const { metadata, details, ...rest } = fromEnvelope(openEnvelope(body), { kind: "", apiVersion: "" });
    const { uid, resourceVersion, creationTimestamp, managedFields: _fields, ...others } = metadata as JsonObject;
    const { uid: _uid, ...otherDetails } = (details ?? {}) as JsonObject;
    const given = [uid, resourceVersion, creationTimestamp].map((value) => Boolean(value));
    const text = JSON.stringify({ ...rest, details: otherDetails, metadata: others, given });
    return { status, type, object: JSON.parse(text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID")) as object };
  }

  it.each(Object.keys(cases))("%s", async (name) => {
    const asked = cases[name]!;
    expect(readable(askStint(asked))).toEqual(readable(await askReal(asked)));
  });
});
