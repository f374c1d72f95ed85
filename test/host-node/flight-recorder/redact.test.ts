/** What is taken out of objects before they are written to disk, and what stays. */
import { expect, test } from "vitest";
import { REDACTED, redact } from "../../../cluster/observed/redact.ts";

function redacted(object: object): any {
  const copy = structuredClone(object);
  redact(copy);
  return copy;
}

const headers = { httpGet: { path: "/", port: 80, httpHeaders: [{ name: "Authorization", value: "secret" }] } };

test("values of environment variables and of headers go, in every kind of container", () => {
  const env = [
    { name: "TOKEN", value: "secret" },
    { name: "FROM", valueFrom: { secretKeyRef: { name: "tokens", key: "a" } } },
  ];
  const spec = {
    containers: [{ name: "a", env, livenessProbe: headers, lifecycle: { preStop: headers } }],
    initContainers: [{ name: "b", env, startupProbe: headers }],
    ephemeralContainers: [{ name: "c", env }],
  };
  for (const object of [
    { kind: "Pod", spec },
    { kind: "Job", spec: { template: { spec } } },
  ]) {
    const text = JSON.stringify(redacted(object));
    expect(text).not.toContain('"secret"');
    expect(text.match(new RegExp(REDACTED, "g"))).toHaveLength(6);
    expect(text).toContain('"secretKeyRef":{"name":"tokens","key":"a"}');
  }
});

test("annotations go, but those that controllers of Jobs read stay; labels stay", () => {
  const metadata = {
    labels: { annotations: "x", app: "y" },
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": "secret",
      "batch.kubernetes.io/job-completion-index": "3",
      "stint.dev/simulate": "{}",
    },
    managedFields: [{ manager: "kubectl" }],
  };
  expect(redacted({ metadata, spec: { template: { metadata } } })).toEqual({
    metadata: {
      labels: { annotations: "x", app: "y" },
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": REDACTED,
        "batch.kubernetes.io/job-completion-index": "3",
        "stint.dev/simulate": "{}",
      },
    },
    spec: {
      template: {
        metadata: {
          labels: metadata.labels,
          annotations: { ...metadata.annotations, "kubectl.kubernetes.io/last-applied-configuration": REDACTED },
        },
      },
    },
  });
});

test("what a container said at its end goes, its exit code stays; the kubelet's messages stay", () => {
  const terminated = { exitCode: 3, reason: "Error", message: "password is x" };
  const status = {
    message: "the node was low on memory",
    containerStatuses: [{ state: { terminated }, lastState: { terminated } }],
  };
  const ended = { terminated: { ...terminated, message: REDACTED } };
  expect(redacted({ status }).status).toEqual({
    message: "the node was low on memory",
    containerStatuses: [{ state: ended, lastState: ended }],
  });
});

test("attributes of volumes go", () => {
  const volumes = [
    { name: "a", csi: { driver: "d", volumeAttributes: { key: "secret" } } },
    { name: "b", flexVolume: { driver: "d", options: { key: "secret" } } },
  ];
  expect(JSON.stringify(redacted({ spec: { volumes } }))).not.toContain("secret");
});

test("the rest stays as it is", () => {
  const object = {
    kind: "Pod",
    metadata: { name: "p", uid: "u" },
    spec: { containers: [{ name: "a", command: ["sh"], args: ["-c", "true"] }] },
    status: { phase: "Running", conditions: [{ type: "Ready", message: "m" }] },
  };
  expect(redacted(object)).toEqual(object);
});
