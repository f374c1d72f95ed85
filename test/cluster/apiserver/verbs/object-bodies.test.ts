/**
 * A request from within the process may bring its body as an object; it must be answered as its text would be, and stay
 * as it is.
 */
import { expect, test } from "vitest";
import type { Method } from "../../../../bindings/js/host.ts";
import type { JsonObject } from "../../../../cluster/values/types.ts";
import { Harness } from "../harness.ts";

const pods = "/api/v1/namespaces/default/pods";
const strategic = "application/strategic-merge-patch+json";
const condition = (type: string): JsonObject => ({
  type,
  status: "True",
  lastProbeTime: null,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});
const requests: readonly (readonly [Method, string, JsonObject, string?])[] = [
  ["POST", pods, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i", env: [] }], extra: 1 } }],
  ["POST", pods, { metadata: { name: "a" }, spec: { containers: [] } }],
  ["POST", pods, { metadata: { name: 1 }, spec: {} }],
  ["POST", pods, { kind: "Node", metadata: { name: "b" } }],
  [
    "PATCH",
    `${pods}/a/status`,
    {
      status: {
        phase: "Running",
        message: null,
        "$setElementOrder/conditions": [{ type: "B" }, { type: "A" }],
        conditions: [condition("A"), condition("B")],
        podIPs: [{ ip: "10.0.0.1" }],
      },
    },
    strategic,
  ],
  [
    "PATCH",
    `${pods}/a/status`,
    {
      status: {
        conditions: [
          { ...condition("A"), reason: null },
          { $patch: "delete", type: "B" },
          { type: "C", status: "False", reason: null },
        ],
      },
    },
    strategic,
  ],
  ["PATCH", `${pods}/a`, { metadata: { annotations: { x: "1", y: null } } }, strategic],
  ["PATCH", `${pods}/a/status`, { status: { phase: 1 } }, strategic],
  ["PATCH", `${pods}/a/status`, { status: { reason: "r" } }, "application/merge-patch+json"],
  ["DELETE", `${pods}/a`, { gracePeriodSeconds: 0, preconditions: { uid: "other" } }],
  ["DELETE", `${pods}/a`, { gracePeriodSeconds: 0 }],
];

test("an object is answered as its text is, and is not changed", () => {
  const asText = new Harness();
  const asObject = new Harness();
  for (const [method, path, content, type = "application/json"] of requests) {
    const headers = { "content-type": type };
    const body = JSON.stringify(content);
    const wanted = asText.cluster.handle({ method, path, headers, body });
    const got = asObject.cluster.handle({ method, path, headers, body, content: frozen(content) });
    if (!("body" in wanted) || !("body" in got)) throw new Error(`${method} ${path} answered a stream`);
    expect([got.status, got.headers, String(got.body)], `${method} ${path} ${body}`).toEqual([
      wanted.status,
      wanted.headers,
      String(wanted.body),
    ]);
  }
});

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
