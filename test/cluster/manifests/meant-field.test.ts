/** The field that the user may have meant by an unknown one. */
import { expect, it } from "vitest";
import { MeantFields } from "../../../cluster/manifests/meant-field.ts";

const JOB = { apiVersion: "batch/v1", kind: "Job" };

it.each([
  ["spec.paralelism", "; did you mean parallelism?"],
  ["spec.backofflimit", "; did you mean backoffLimit?"],
  ["spec.template.spec.containers[0].imagee", "; did you mean image?"],
  ["spec.template.metadata.anotations", "; did you mean annotations?"],
  ["spec.restartPolicy", "; did you mean spec.template.spec.restartPolicy?"],
  ["spec.template.spec.command", "; did you mean spec.template.spec.containers[].command?"],
  ["parallelism", "; did you mean spec.parallelism?"],
  ["spec.scheduling", "; Kubernetes knows it since 1.37"],
  ["spec.template.spec.containers[0].env[0].valueFrom.fileKeyRef", "; Kubernetes knows it since 1.34"],
  ["spec.xyzzy", ""],
])("%s%s", (path, meant) => {
  expect(new MeantFields(JOB, undefined).hint(path)).toBe(meant);
});
