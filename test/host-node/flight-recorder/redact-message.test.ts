/** What is taken out of the messages of a real API server before they are written to disk, and what stays. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { redactedMessage } from "../../../host-node/flight-recorder/redact-message.ts";

const RECORDINGS = join(import.meta.dirname, "../../vectors/recordings/api");

interface Recording {
  readonly name: string;
  readonly response: { readonly status: number; readonly body?: string };
}

/** By the name of the recording. */
const recorded = new Map<string, string>();
for (const file of readdirSync(RECORDINGS).filter((name) => name.endsWith(".json"))) {
  const { name, response } = JSON.parse(readFileSync(join(RECORDINGS, file), "utf8")) as Recording;
  if (response?.status >= 400 && response.body?.startsWith("{"))
    recorded.set(name, (JSON.parse(response.body) as { message: string }).message);
}

test.each([
  [
    "job-patch-uid-mismatch",
    "Job.batch \"j\" is invalid: [metadata.uid: Invalid value: <redacted>: field is immutable, spec.template.metadata.labels[controller-uid]: Invalid value: <redacted>: must be 'zzz', spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Invalid value: <redacted>: must be 'zzz', spec.selector: Invalid value: <redacted>: `selector` not auto-generated]",
  ],
  [
    "quota-status-invalid",
    'ResourceQuota "two" is invalid: [status.hard[pods]: Invalid value: <redacted>: must be greater than or equal to 0, status.used[nope]: Invalid value: <redacted>: must be a standard resource type or fully qualified, status.used[nope]: Invalid value: <redacted>: must be a standard resource for quota]',
  ],
  [
    "job-create-bad-json",
    "the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: unexpected end of JSON input ({<redacted>:)",
  ],
  [
    "apply-conflict-with-update-manager",
    "Apply failed with 2 conflicts: conflicts with <redacted> using batch/v1: <redacted>",
  ],
])("values that %s quotes go, and where they stood stays", (name, expected) => {
  expect(redactedMessage(recorded.get(name)!)).toBe(expected);
});

test.each([
  ...["job-status-complete-invalid", "job-put-manifest-invalid", "job-create-already-exists", "job-get-not-found"],
  ...["job-put-stale-conflict", "job-create-while-deleting", "job-create-unknown-fields-strict"],
])("%s quotes only names, numbers and null, and stays as it is", (name) => {
  expect(redactedMessage(recorded.get(name)!)).toBe(recorded.get(name));
});

test("no recorded refusal keeps a value that it quotes", () => {
  const quoting = [...recorded.values()].filter((message) => / value: ["[{]/.test(message));
  expect(quoting.length).toBeGreaterThan(10);
  for (const message of quoting) expect(redactedMessage(message)).not.toMatch(/ value: ["[{]/);
});

test.each([
  'pods is forbidden: User "system:serviceaccount:s:stint" cannot create resource "pods" in API group "" in the namespace "team"',
  'pods "x-nmdmv" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0',
  'pods "x" is forbidden: violates PodSecurity "restricted:latest": seccompProfile (pod or containers "a", "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  'creating a pod was refused once, next try in 1 s: pods "x" is forbidden: error looking up service account t/x: serviceaccount "x" not found',
])("a message stays as it is: %s", (message) => {
  expect(redactedMessage(message)).toBe(message);
});

test.each([
  [
    'admission webhook "a.example.com" denied the request: the variable "hunter2" is no URL',
    'admission webhook "a.example.com" denied the request: the variable <redacted> is no URL',
  ],
  [
    'Pod "x" is invalid: a: Unsupported value: "say \\"hunter2\\": no": supported values: "A", "B"',
    'Pod "x" is invalid: a: Unsupported value: <redacted>: supported values: "A", "B"',
  ],
  [
    'Pod "x" is invalid: [a: Invalid value: hunter2: no, b: Duplicate value: {"Type":"}hunter2","b":[1]}]',
    'Pod "x" is invalid: [a: Invalid value: <redacted>: no, b: Duplicate value: <redacted>]',
  ],
  [
    'Pod "x" is invalid: spec: Forbidden: pod updates may not change these fields\n- Value: "hunter2"',
    'Pod "x" is invalid: spec: Forbidden: pod updates may not change these fields <redacted>',
  ],
  ['Pod "x" is invalid: a: Invalid value: "hunter2 and th', 'Pod "x" is invalid: a: Invalid value: <redacted>'],
  ['spec: Forbidden: no ... Value: """ hunter2 "hunter2" hunter2 """ ...', "spec: Forbidden: no ... Value: <redacted>"],
])("%s", (message, expected) => {
  expect(redactedMessage(message)).toBe(expected);
});
