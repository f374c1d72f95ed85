/** The API server's refusals, and fields that are not implemented, as lines that point into the manifest. */
import { describe, expect, it } from "vitest";
import { diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import { type Manifest, parseManifests } from "../../../cluster/manifests/manifests.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { statusDiagnostics } from "../../../cluster/manifests/status-diagnostics.ts";
import { unimplementedFields } from "../../../cluster/manifests/unimplemented-fields.ts";

function manifestOf(text: string): Manifest {
  const { manifests, diagnostics } = parseManifests({ file: "job.yaml", text }, readYaml);
  expect(diagnostics).toEqual([]);
  return manifests[0]!;
}

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  parallelism: -1
  paralelism: 2
  completions: three
  template:
    spec:
      containers:
      - {name: a, image: x}
      - {name: b, image: 5}
`;

describe("statusDiagnostics", () => {
  const lines = (status: object | string): string[] =>
    statusDiagnostics(manifestOf(JOB), typeof status === "string" ? status : JSON.stringify(status)).map(
      diagnosticText,
    );

  it("point at the value of each invalid field, once", () => {
    const invalid = {
      reason: "FieldValueInvalid",
      message: "Invalid value: -1: must be greater than or equal to 0",
      field: "spec.parallelism",
    };
    const required = {
      reason: "FieldValueRequired",
      message: 'Required value: valid values: "OnFailure", "Never"',
      field: "spec.template.spec.restartPolicy",
    };
    expect(
      lines({ kind: "Status", message: "Job.batch …", details: { causes: [invalid, required, invalid] } }),
    ).toEqual([
      "job.yaml:5:16: spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
      'job.yaml:10:7: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"; write restartPolicy: Never, or OnFailure',
    ]);
  });

  it("point at the name of each unknown field", () => {
    expect(
      lines({
        message:
          'Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.paralelism", duplicate field "spec.completions"',
      }),
    ).toEqual([
      "job.yaml:6:3: spec.paralelism: unknown field of batch/v1 Job; did you mean parallelism?",
      "job.yaml:7:3: spec.completions: duplicate field of batch/v1 Job",
    ]);
  });

  it.each([
    [
      "string into Go struct field JobSpec.spec.completions of type int32",
      "job.yaml:7:16: spec.completions: here is a text; allowed is a whole number",
    ],
    [
      "number into Go struct field Container.spec.template.spec.containers.image of type string",
      "job.yaml:12:26: spec.template.spec.containers.image: here is a number; allowed is a text (in quotes, if need be)",
    ],
    [
      "number 1.5 into Go struct field JobSpec.spec.parallelism of type int32",
      "job.yaml:5:16: spec.parallelism: here is 1.5; allowed is a whole number",
    ],
    [
      "number 3000000000 into Go struct field JobSpec.spec.parallelism of type int32",
      "job.yaml:5:16: spec.parallelism: here is 3000000000; allowed is a whole number, at most 2147483647",
    ],
    [
      "number -9223372036854775809 into Go struct field JobSpec.spec.parallelism of type int64",
      "job.yaml:5:16: spec.parallelism: here is -9223372036854775809; allowed is a whole number, at least -9223372036854775808",
    ],
    [
      "array into Go struct field PodSpec.spec.template.spec.containers of type v1.Container",
      "job.yaml:11:7: spec.template.spec.containers: here is a list; allowed is a map",
    ],
  ])("translate: cannot unmarshal %s", (text, line) => {
    expect(
      lines({ message: `Job in version "v1" cannot be handled as a Job: json: cannot unmarshal ${text}` }),
    ).toEqual([line]);
  });

  it("point at the object when no field is named, or the answer is no Status", () => {
    expect(lines({ message: 'jobs.batch "pi" already exists' })).toEqual([
      'job.yaml:1:1: jobs.batch "pi" already exists',
    ]);
    expect(lines("404 page not found")).toEqual(["job.yaml:1:1: 404 page not found"]);
  });
});

describe("unimplementedFields", () => {
  const of = (spec: string): string[] =>
    unimplementedFields(manifestOf(`apiVersion: batch/v1\nkind: Job\nspec:\n${spec}`)).map(diagnosticText);

  it.each(["suspend: true", "managedBy: example.com/other"])("name %s", (field) => {
    const name = field.split(":")[0]!;
    expect(of(`  ${field}\n`)).toEqual([
      expect.stringMatching(new RegExp(`^job\\.yaml:4:3: spec\\.${name}.*; remove it to run this Job$`)),
    ]);
  });

  it.each([
    "suspend: false",
    "manualSelector: true",
    "podReplacementPolicy: TerminatingOrFailed",
    "managedBy: kubernetes.io/job-controller",
    "successPolicy: {}",
    "podFailurePolicy: {rules: []}",
    "backoffLimitPerIndex: 1",
    "ttlSecondsAfterFinished: 0",
    "podReplacementPolicy: Failed",
    "manualSelector: null",
  ])("let %s pass", (field) => {
    expect(of(`  ${field}\n`)).toEqual([]);
  });

  it("leave other kinds alone", () => {
    expect(unimplementedFields(manifestOf("apiVersion: example.com/v1\nkind: Job\nspec: {suspend: true}\n"))).toEqual(
      [],
    );
  });
});
