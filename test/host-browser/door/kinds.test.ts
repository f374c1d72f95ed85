/** Each kind of text is recognised by how it begins: texts of this repository, of kubectl, and of its users. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { kindOf, KINDS } from "../../../host-browser/door/kinds.ts";
import { scenarioFile } from "../../../host-browser/share/scenario-file.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const file = (name: string): string => readFileSync(path.join(root, name), "utf8");
const described = (JSON.parse(file("test/host-browser/history/kubectl/job-indexed.json")) as { text: string[] }).text;
const change = '{"type":"ADDED","object":{"kind":"Job"}}';
const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a", resourceVersion: "1" } };

const EXAMPLES: readonly (readonly [kind: string, what: string, text: string])[] = [
  ["empty", "nothing", " \n\t\n"],
  ["binary", "a packed file", "\u001f\ufffd\b\u0000\u0000"],
  ["recording", "of stint run", '{"format":"stint.recording","version":1,"module":"00"}\n{"call":"configure"}\n'],
  ["recording", "spaces in its head", '{ "format" : "stint.recording", "version": 1 }'],
  ["flight", "a segment", '{"format":"stint.flight","version":1,"segment":1,"at":0,"stint":"0","isRedacted":true}\n'],
  ["scenario", "saved by the page", scenarioFile({ yaml: "a", seed: 1, nodes: [], outcomes: [], inputs: [] })],
  ["log", "kubectl get --watch --output-watch-events", file("test/vectors/kubectl-logs/jobs.json")],
  ["log", "its first line alone", change],
  ["log", "kubectl get --watch -o json", [job, job].map((each) => JSON.stringify(each, undefined, 4)).join("\n")],
  ["objects", "one object", JSON.stringify(job)],
  [
    "objects",
    "kubectl get -o json",
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [job, job] }, undefined, 4),
  ],
  ["objects", "kubectl get -o yaml", file("test/host-node/cli/lint/cases/live-object.yaml")],
  ["objects", "a manifest with comments", `# mine\n---\n${file("examples/pi.yaml")}`],
  ["objects", "a JSON path in a value", "apiVersion: batch/v1\nkind: Job\nmetadata: {annotations: {a: '{$.b}'}}\n"],
  ["objects", "Argo's variables", "apiVersion: batch/v1\nkind: Job\nspec: {a: '{{inputs.parameters.x}}'}\n"],
  ["template", "of a chart", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-migrate\n"],
  ["template", "with a condition", "{{- if .Values.on }}\napiVersion: batch/v1\nkind: Job\n{{- end }}\n"],
  ["described", "kubectl describe job", described.join("\n")],
  [
    "table",
    "kubectl get jobs",
    "NAME   STATUS     COMPLETIONS   DURATION   AGE\npi     Complete   1/1           5s         6s\n",
  ],
  [
    "table",
    "kubectl get pods -A",
    "NAMESPACE   NAME   READY   STATUS   RESTARTS   AGE\na           b      0/1     Error    0          1m\n",
  ],
  [
    "table",
    "kubectl get events",
    "LAST SEEN   TYPE      REASON    OBJECT    MESSAGE\n1m          Warning   Failed    pod/a     no\n",
  ],
  ["refused", "an error", 'Error from server (NotFound): jobs.batch "pi" not found\n'],
  ["refused", "nothing found", "No resources found in default namespace.\n"],
  ["unknown", "a log of a program", "Traceback (most recent call last):\n  File ...\n"],
];

describe("kindOf", () => {
  test.each(EXAMPLES)("%s: %s", (kind, _what, text) => {
    expect(kindOf(text).name).toBe(kind);
  });

  test("each kind has an example", () => {
    const shown = new Set(EXAMPLES.map(([kind]) => kind));
    expect(KINDS.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });

  test("a long text takes no longer than its beginning", () => {
    const start = performance.now();
    expect(kindOf(`${"{".repeat(30 * 1024 * 1024)}`).name).toBe("unknown");
    expect(kindOf(`{${" ".repeat(30 * 1024 * 1024)}`).name).toBe("unknown");
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
