/** The field that somebody may have meant by an unknown one. */
import { expect, it } from "vitest";
import { meantField } from "../../../cluster/manifests/meant-field.ts";
import { parseManifests } from "../../../cluster/manifests/manifests.ts";
import { readYaml } from "../../../cluster/manifests/yaml-library.ts";

const [job] = parseManifests({ file: "j", text: "apiVersion: batch/v1\nkind: Job" }, readYaml).manifests;

it.each([
  ["spec.paralelism", "; did you mean parallelism?"],
  ["spec.backofflimit", "; did you mean backoffLimit?"],
  ["spec.template.spec.containers[0].imagee", "; did you mean image?"],
  ["spec.template.metadata.anotations", "; did you mean annotations?"],
  ["spec.restartPolicy", "; did you mean spec.template.spec.restartPolicy?"],
  ["spec.template.spec.command", "; did you mean spec.template.spec.containers[].command?"],
  ["parallelism", "; did you mean spec.parallelism?"],
  ["spec.xyzzy", ""],
])("%s%s", (path, meant) => {
  expect(meantField(job!, path)).toBe(meant);
});
