/**
 * Makes the entries of the tables of resources: what most of them share, and the fields by which objects are selected.
 */
import { textAt } from "../../values/field-path.ts";
import type { KubeObject } from "../../values/types.ts";
import type { FieldLabels, ResourceDefinition, Subresource, Verb } from "./context.ts";
import { structType } from "../schema/schema.ts";

export const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
const changeVerbs: readonly Verb[] = ["get", "patch", "update"];

type Read = (object: KubeObject) => string;

export const metadataLabels: Readonly<Record<string, Read>> = {
  "metadata.name": (object) => object.metadata.name,
  "metadata.namespace": (object) => object.metadata.namespace ?? "",
};
export const nameLabel = { "metadata.name": metadataLabels["metadata.name"]! };

export const notSupported = (label: string): string => `field label not supported: ${label}`;

export function paths(...texts: string[]): Record<string, Read> {
  return Object.fromEntries(texts.map((text) => [text, textAt(text)]));
}

const plainFields: FieldLabels = {
  labels: metadataLabels,
  unsupported: (label) =>
    `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

interface Entry {
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  readonly singular?: string;
  readonly kind: string;
  /** Name in build/schema.json, if it differs from the kind. */
  readonly schema?: string;
}

type Rest = Partial<Omit<ResourceDefinition, "group" | "version" | "resource" | "body">>;

/** Kinds that a body may name, `apiVersion/Kind`. */
const registeredKinds = new Set<string>(["v1/Binding", "policy/v1/Eviction", "policy/v1beta1/Eviction", "v1/Status"]);

export function define(
  { group = "", version = "v1", resource, singular, kind, schema }: Entry,
  rest: Rest,
): ResourceDefinition {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  registeredKinds.add(`${apiVersion}/${kind}`);
  const goPackage = group === "" ? "core" : group.split(".")[0]!;
  return {
    group,
    version,
    resource,
    singular: singular ?? kind.toLowerCase(),
    body: {
      kind,
      apiVersion,
      version,
      goType: `${goPackage}.${kind}`,
      type: structType(schema ?? kind),
      isRegistered: (otherVersion, otherKind) => registeredKinds.has(`${otherVersion}/${otherKind}`),
    },
    isNamespaced: true,
    shortNames: [],
    categories: [],
    verbs: allVerbs,
    subresources: [],
    storage: resource,
    hasGeneration: false,
    allowsUnconditionalUpdate: true,
    createsOnUpdate: false,
    returnsDeletedObject: false,
    orphansByDefault: false,
    hasAdmission: false,
    nameSyntax: "subdomain",
    fields: plainFields,
    table: undefined,
    ...rest,
    strategy: rest.strategy ?? {},
  };
}

/** A status with which labels and annotations can be written, as that of older kinds. */
export function status(kind: string): Subresource {
  return { name: "status", kind, verbs: changeVerbs };
}
