/**
 * What OpenAPI documents say of a struct since 1.37 and did not before: which fields it requires, and further values of
 * a field. The texts of the schema are those of 1.36.
 */
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { KubernetesVersion } from "../../values/kubernetes-versions.ts";
import type { TypeText } from "./type-texts.ts";

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  ControllerRevision: ["data"],
  DaemonSet: ["spec"],
  DaemonSetCondition: [],
  Deployment: ["spec"],
  DeploymentCondition: [],
  DeviceClass: [],
  ReplicaSet: ["spec"],
  ReplicaSetCondition: [],
  ResourceClaimTemplate: [],
  ResourceClaimTemplateSpec: [],
  ResourceResourceClaim: [],
  StatefulSet: ["spec"],
  StatefulSetCondition: [],
};

const VALUES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  StatefulSetUpdateStrategy: { type: ["OnDelete", "Recreate", "RollingUpdate"] },
};

/** The text of a struct as the version publishes it. */
export function textBy(kubernetes: KubernetesVersion, struct: string, text: TypeText): TypeText {
  const required = REQUIRED[struct];
  const enums = VALUES[struct];
  if ((required === undefined && enums === undefined) || isAhead("requirements-as-declared", kubernetes)) return text;
  return { ...text, ...(required && { required }), ...(enums && { enums: { ...text.enums, ...enums } }) };
}
