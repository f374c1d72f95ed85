/** The environment of a container as `kubectl describe` prints it. */
import type { EnvFromSource, EnvVar } from "../../../cluster/values/kinds.ts";
import type { DescribedText } from "./text.ts";

export function describeEnvironment(
  to: DescribedText,
  sources: readonly EnvFromSource[] = [],
  variables: readonly EnvVar[] = [],
  fieldValue: (path: string) => string,
): void {
  if (sources.length > 0) to.line(2, "Environment Variables from:");
  for (const { configMapRef, prefix, secretRef } of sources) {
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    const from = `${configMapRef === undefined ? "Secret" : "ConfigMap"}${prefix ? ` with prefix '${prefix}'` : ""}`;
    to.line(3, `${name}\t${from}\tOptional: ${optional}`);
  }
  to.line(2, `Environment:${variables.length === 0 ? "\t<none>" : ""}`);
  for (const variable of variables) describeVariable(to, variable, fieldValue);
}

function describeVariable(
  to: DescribedText,
  { name, value = "", valueFrom }: EnvVar,
  fieldValue: (path: string) => string,
): void {
  if (valueFrom === undefined) {
    value.split("\n").forEach((line, i) => to.line(3, `${i === 0 ? `${name}:` : ""}\t${line}`));
    return;
  }
  const { configMapKeyRef, fieldRef, resourceFieldRef, secretKeyRef } = valueFrom;
  if (fieldRef !== undefined) {
    const { apiVersion = "v1", fieldPath } = fieldRef;
    to.line(3, `${name}:\t${fieldValue(fieldPath)} (${apiVersion}:${fieldPath})`);
  } else if (resourceFieldRef !== undefined) {
    to.line(3, `${name}:\t (${resourceFieldRef.resource})`);
  } else if (secretKeyRef !== undefined) {
    const { key = "", name: secret = "", optional = false } = secretKeyRef;
    to.line(3, `${name}:\t<set to the key '${key}' in secret '${secret}'>\tOptional: ${optional}`);
  } else if (configMapKeyRef !== undefined) {
    const { key = "", name: map = "", optional = false } = configMapKeyRef;
    to.line(3, `${name}:\t<set to the key '${key}' of config map '${map}'>\tOptional: ${optional}`);
  }
}
