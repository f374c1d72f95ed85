/** Completion and hover: the place of a line in an unfinished manifest, and the descriptions of fields. */
import { describe, expect, test } from "vitest";
import { fieldsIn, helpOf } from "../../../host-browser/app/editor/job-fields.ts";
import { fieldAt } from "../../../host-browser/app/editor/yaml-path.ts";

const MANIFEST = `apiVersion: v1
kind: ConfigMap
---
apiVersion: batch/v1
spec:
  completions: 3
  # a comment
  podFailurePolicy:
    rules:
    - action: FailJob
      onExitCodes:
        operator: In
    -  action: Ignore
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          comm
      vol`.split("\n");

const lineOf = (text: string): number => MANIFEST.findIndex((line) => line.includes(text));

describe("the path of a line", () => {
  test.each([
    ["batch/v1", "apiVersion"],
    ["completions", "spec.completions"],
    ["rules", "spec.podFailurePolicy.rules"],
    ["FailJob", "spec.podFailurePolicy.rules.action"],
    ["operator", "spec.podFailurePolicy.rules.onExitCodes.operator"],
    ["Ignore", "spec.podFailurePolicy.rules.action"],
    ["restartPolicy", "spec.template.spec.restartPolicy"],
    ["name: main", "spec.template.spec.containers.name"],
    ["          comm", "spec.template.spec.containers.comm"],
    ["vol", "spec.template.spec.vol"],
  ])("%s", (text, path) => {
    expect(fieldAt(MANIFEST, lineOf(text))?.path.join(".")).toBe(path);
  });

  test("is none in a comment or between documents", () => {
    expect(fieldAt(MANIFEST, lineOf("# a comment"))).toBeUndefined();
    expect(fieldAt(MANIFEST, lineOf("---"))).toBeUndefined();
  });

  test("knows the columns of the name and of the value", () => {
    const place = { path: ["spec", "suspend"], from: 4, to: 11, valueFrom: 14 };
    expect(fieldAt(["spec:", "  - suspend:  true"], 1)).toEqual(place);
    expect(fieldAt(["spec:", "  susp"], 1)).toMatchObject({ from: 2, to: 6, valueFrom: undefined });
    expect(fieldAt(["spec:", "  "], 1)).toMatchObject({ path: ["spec", ""], from: 2 });
  });
});

describe("the fields of Jobs", () => {
  const names = (...parents: string[]): string[] => fieldsIn(parents).map(([name]) => name);

  test("are proposed where they belong", () => {
    expect(names()).toEqual(["apiVersion", "kind", "metadata", "spec"]);
    expect(names("spec")).toContain("backoffLimitPerIndex");
    expect(names("spec")).not.toContain("template.spec");
    expect(names("spec", "template", "metadata", "annotations")).toEqual(["stint.dev/simulate"]);
    expect(names("spec", "nowhere")).toEqual([]);
  });

  test("have words that say what they do, and values where there are few", () => {
    expect(helpOf(["spec", "completionMode"])!.values).toEqual(["NonIndexed", "Indexed"]);
    expect(helpOf(["spec", "podFailurePolicy", "rules", "action"])!.values).toContain("FailIndex");
    expect(helpOf(["spec", "nowhere"])).toBeUndefined();
    expect(fieldsIn(["spec"]).filter(([, { text }]) => !/^.{20,}\.$/s.test(text))).toEqual([]);
  });
});
