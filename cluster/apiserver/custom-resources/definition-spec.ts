/** The parts of a CustomResourceDefinition that the server reads. It has been validated, and has its defaults. */
import type { KubeObject } from "../../values/types.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { PrinterColumn } from "./printer-columns.ts";

export const CRD_GROUP = "apiextensions.k8s.io";
export const CRD_RESOURCE = "customresourcedefinitions";

export interface Names {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface CustomVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionSpec {
  readonly group: string;
  readonly names: Names;
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: readonly CustomVersion[];
  readonly conversion?: { readonly strategy: "None" | "Webhook"; readonly webhook?: object };
}

export interface Condition {
  readonly type: "NamesAccepted" | "Established" | "Terminating";
  readonly status: "True" | "False" | "Unknown";
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

export interface DefinitionStatus {
  readonly conditions: readonly Condition[] | null;
  readonly acceptedNames: Names;
  readonly storedVersions: readonly string[] | null;
}

export function specOf({ spec }: KubeObject): DefinitionSpec {
  // Nothing says yet that a new one has versions.
  return spec.versions === null ? { ...spec, versions: [] } : spec;
}

export function statusOf(definition: KubeObject): DefinitionStatus {
  return definition["status"];
}

export function conditionOf(definition: KubeObject, type: Condition["type"]): Condition | undefined {
  return statusOf(definition).conditions?.find((condition) => condition.type === type);
}

export function isTrue(definition: KubeObject, type: Condition["type"]): boolean {
  return conditionOf(definition, type)?.status === "True";
}

/** Versions as upstream sorts them, the preferred one first: v2, v1, v1beta2, v1beta1, v1alpha1, and then others. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rankOf(left), rankOf(right)];
  for (let place = 0; place < a.length; place++) if (a[place] !== b[place]) return b[place]! - a[place]!;
  return left < right ? -1 : left > right ? 1 : 0;
}

function rankOf(version: string): [isKnown: number, stability: number, major: number, minor: number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0, 0];
  const [, major, stage, minor = "0"] = match;
  return [1, stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
}
