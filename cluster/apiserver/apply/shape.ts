/**
 * How the parts of an object merge: which lists are keyed, which maps are one value. The shapes of the served kinds
 * come from their fields (schema.ts) and from the table below; other sources, such as the schema of a custom resource,
 * can make shapes of their own.
 */
import type { Json } from "../../types.ts";
import { isObject } from "../json.ts";
import type { Scalar, StructType, Type } from "../schema.ts";

export type Shape = ScalarShape | ListShape | MapShape | { readonly form: "deduced" };

export interface ScalarShape {
  readonly form: "scalar";
  readonly scalar: "string" | "numeric" | "boolean" | "untyped";
}

export interface ListShape {
  readonly form: "list";
  readonly element: Shape;
  /** What tells elements apart: fields of theirs, or for a set themselves. An atomic list is one value. */
  readonly elements: "atomic" | "set" | readonly ListKey[];
}

export interface ListKey {
  readonly name: string;
  /** What an element has that leaves the field out. Undefined: nothing. */
  readonly absent?: Json;
}

/** A struct, or a map. */
export interface MapShape {
  readonly form: "map";
  readonly isAtomic: boolean;
  /** The shape of a field of a struct. */
  field(name: string): Shape | undefined;
  /** The shape of all other members. Undefined: there are none. */
  readonly others: Shape | undefined;
}

/** A value without a schema: objects merge member by member, lists are one value each. */
export const deduced: Shape = { form: "deduced" };
const deducedMap: MapShape = { form: "map", isAtomic: false, field: () => undefined, others: deduced };
const deducedList: ListShape = { form: "list", element: deduced, elements: "atomic" };
const untyped: ScalarShape = { form: "scalar", scalar: "untyped" };

/** What a value of this shape is taken for: its shape, or for a value without a schema what it looks like. */
export function shapeFor(shape: Shape, value: Json | undefined): ScalarShape | ListShape | MapShape {
  if (shape.form !== "deduced") return shape;
  return Array.isArray(value) ? deducedList : isObject(value) || value === null ? deducedMap : untyped;
}

/** The shape of a member; undefined: there can be none of this name. */
export function memberShape(shape: MapShape, name: string): Shape | undefined {
  return shape.field(name) ?? shape.others;
}

/** Struct → field → `set`, or the key fields of its elements. Other lists are atomic. Source: client-go's schema. */
const listTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ObjectMeta: { finalizers: "set", ownerReferences: "uid" },
  PodSpec: {
    containers: "name",
    ephemeralContainers: "name",
    hostAliases: "ip",
    imagePullSecrets: "name",
    initContainers: "name",
    resourceClaims: "name",
    schedulingGates: "name",
    topologySpreadConstraints: "topologyKey whenUnsatisfiable",
    volumes: "name",
  },
  PodStatus: { conditions: "type", podIPs: "ip", resourceClaimStatuses: "name" },
  NamespaceStatus: { conditions: "type" },
  NodeSpec: { podCIDRs: "set" },
  NodeStatus: { addresses: "type", conditions: "type" },
  WorkloadSpec: { podGroupTemplates: "name" },
  PodGroupTemplate: { resourceClaims: "name" },
  PodGroupSpec: { resourceClaims: "name" },
  PodGroupStatus: { conditions: "type", resourceClaimStatuses: "name" },
  UncountedTerminatedPods: { failed: "set", succeeded: "set" },
  Container: { env: "name", ports: "containerPort protocol", volumeDevices: "devicePath", volumeMounts: "mountPath" },
  EphemeralContainer: {
    env: "name",
    ports: "containerPort protocol",
    volumeDevices: "devicePath",
    volumeMounts: "mountPath",
  },
  ResourceRequirements: { claims: "name" },
  ContainerStatus: { allocatedResourcesStatus: "name", volumeMounts: "mountPath" },
  NodeAllocatableResourceClaimStatus: { containers: "set" },
  ResourceStatus: { resources: "resourceID" },
  PodFailurePolicyOnExitCodesRequirement: { values: "set" },
  ContainerRestartRuleOnExitCodes: { values: "set" },
};

/** Key fields whose default is not empty. */
const keyDefaults: Readonly<Record<string, Json>> = { protocol: "TCP" };

/** Structs that are one value. */
const atomicStructs: ReadonlySet<string> = new Set([
  "ObjectReference",
  "OwnerReference",
  "LabelSelector",
  "LocalObjectReference",
  "ScopeSelector",
  "TypedLocalObjectReference",
  "NodeSelector",
  "NodeSelectorTerm",
  "ObjectFieldSelector",
  "ResourceFieldSelector",
  "ConfigMapKeySelector",
  "FileKeySelector",
  "SecretKeySelector",
]);

/** Maps that are one value, `Struct.field`. */
const atomicMaps: ReadonlySet<string> = new Set(["PodSpec.nodeSelector"]);

/** Fields that schemas still have, and that nobody reads, `Struct.field`. */
const formerFields: ReadonlySet<string> = new Set(["ObjectMeta.selfLink"]);

const structShapes = new WeakMap<StructType, MapShape>();

/** The shape of a struct of the schema. */
export function structShape(type: StructType): MapShape {
  const known = structShapes.get(type) ?? new StructShape(type);
  structShapes.set(type, known);
  return known;
}

class StructShape implements MapShape {
  readonly form = "map";
  readonly others = undefined;
  readonly isAtomic: boolean;
  readonly #type: StructType;
  readonly #fields = new Map<string, Shape>();

  constructor(type: StructType) {
    this.#type = type;
    this.isAtomic = atomicStructs.has(type.goName);
  }

  field(name: string): Shape | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const field = this.#type.fields.get(name);
    if (field === undefined && !formerFields.has(`${this.#type.goName}.${name}`)) return undefined;
    const shape = field === undefined ? untyped : fieldShape(field.type, this.#type.goName, name);
    this.#fields.set(name, shape);
    return shape;
  }
}

function fieldShape(type: Type, owner: string, name: string): Shape {
  switch (type.form) {
    case "struct":
      return structShape(type);
    case "scalar":
      return scalarShape(type.scalar);
    case "map":
      return {
        form: "map",
        isAtomic: atomicMaps.has(`${owner}.${name}`),
        field: () => undefined,
        others: fieldShape(type.element, "", ""),
      };
    case "list":
      return {
        form: "list",
        element: fieldShape(type.element, "", ""),
        elements: listElements(listTypes[owner]?.[name], type.element),
      };
  }
}

function listElements(listType: string | undefined, element: Type): ListShape["elements"] {
  if (listType === undefined) return "atomic";
  if (listType === "set" || element.form !== "struct") return "set";
  return listType.split(" ").map((name) => {
    const key = element.fields.get(name)!.type;
    const isNumber = key.form === "scalar" && key.scalar === "int32";
    return { name, absent: keyDefaults[name] ?? (isNumber ? 0 : "") };
  });
}

function scalarShape(scalar: Scalar): Shape {
  switch (scalar) {
    case "string":
    case "bytes":
      return { form: "scalar", scalar: "string" };
    case "int32":
    case "int64":
    case "float64":
      return { form: "scalar", scalar: "numeric" };
    case "bool":
      return { form: "scalar", scalar: "boolean" };
    case "any":
      return deduced;
    default:
      return untyped;
  }
}
