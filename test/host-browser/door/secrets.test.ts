/** What may be secret in a text is not in its run, which the page's address has. */
import { expect, test } from "vitest";
import { openDoor } from "../../../host-browser/door/door.ts";
import { newEngine, toolsOf } from "./played.ts";

const open = (text: string) => openDoor(text, toolsOf(newEngine(), Date.UTC(2026, 0, 1)));

const JOB = `apiVersion: batch/v1
kind: Job
metadata:
  name: load
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: load
          image: example.com/load
          env:
            - { name: MODE, value: full }
            - { name: PASSWORD, valueFrom: { secretKeyRef: { name: db, key: password } } }
`;
const SECRET = `apiVersion: v1
kind: Secret
metadata:
  name: db
type: kubernetes.io/tls
data:
  tls.key: aHVudGVyMg==
stringData:
  password: hunter2
`;

test("of a Secret the run has the keys", () => {
  const { yaml, notes, problem } = open(`${JOB}---\n${SECRET}`);
  expect(problem).toBeUndefined();
  expect(yaml).not.toMatch(/hunter2|aHVudGVyMg|kubernetes.io\/tls/);
  expect(yaml).toContain("password:");
  expect(yaml).toContain("tls.key:");
  expect(notes).toContain("the values of Secrets are left out: a run needs none");
});

test("a manifest without a Secret stays as it is", () => {
  expect(open(JOB).yaml).toBe(JOB);
});

test("objects of a server lose values of variables", () => {
  const served = JOB.replace("  name: load\nspec", "  name: load\n  uid: u1\n  resourceVersion: '7'\nspec");
  const { yaml } = open(served);
  expect(yaml).toContain("<redacted>");
  expect(yaml).not.toContain("full");
  expect(yaml).toContain("secretKeyRef");
});
