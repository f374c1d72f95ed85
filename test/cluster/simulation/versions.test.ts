/** A world of another version of Kubernetes: what its API server refuses, and what its nodes say of themselves. */
import { expect, test } from "vitest";
import { SERVED_VERSIONS } from "../../../cluster/values/kubernetes-versions.ts";
import { jobYaml, run } from "./harness.ts";

const SUSPENDED = jobYaml("suspend: true");
const WITH_MEMORY = SUSPENDED.replace(
  "    image: example.com/main\n",
  "    image: example.com/main\n        resources: { requests: { memory: 64Mi } }\n",
);

// KEP-5440: the resources of a suspended Job may be changed since 1.36, where the gate is on by default.
test.each(SERVED_VERSIONS)("%s: the resources of a suspended Job", (kubernetes) => {
  expect(WITH_MEMORY).toContain("64Mi");
  const { recorder } = run(SUSPENDED, [{ atMs: 5000, action: { kind: "apply", yaml: WITH_MEMORY } }], { kubernetes });
  const [{ problem = "" } = {}] = recorder.flags;
  if (kubernetes < "1.36") expect(problem).toContain("spec.template.spec: Invalid value");
  else expect(problem).toBe("");
});

test.each([
  ["1.34", "v1.34.4"],
  [undefined, "v1.37.2"],
] as const)("%s: nodes have kubelets of %s", (kubernetes, version) => {
  const { recorder } = run(jobYaml(), [], { kubernetes });
  expect(recorder.objects.get("nodes/node-1")!.status.nodeInfo.kubeletVersion).toBe(version);
});
