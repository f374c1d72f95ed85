/**
 * The fields of a pod that this kubelet does not honour, so that nothing is silently ignored. The runtime reports those
 * that depend on it alone.
 */
import type { ContainerRuntime, UnsupportedField } from "./container-runtime.ts";
import type { Container, Pod } from "../values/kinds.ts";

const CONTAINER_FIELDS: readonly (readonly [field: keyof Container, why: string])[] = [
  ["startupProbe", "probes are not run; a container counts as started when it runs"],
  ["readinessProbe", "probes are not run; a container is ready when it runs"],
  ["livenessProbe", "probes are not run; a container is restarted only when it ends"],
  ["lifecycle", "hooks are not run"],
];

export function unsupportedFields(pod: Pick<Pod, "spec">, runtime: ContainerRuntime): UnsupportedField[] {
  const found: UnsupportedField[] = [];
  for (const list of ["initContainers", "containers"] as const) {
    (pod.spec[list] ?? []).forEach((container, index) => {
      for (const [field, why] of CONTAINER_FIELDS)
        if (container[field] !== undefined && !(runtime.startProbes && field.endsWith("Probe")))
          found.push({ path: `spec.${list}[${index}].${field}`, why });
    });
  }
  return found;
}
