/**
 * The fields and types of a struct, read from its model class in @kubernetes/client-node, or from own-models.ts. Leaves
 * out what the models do not know: fields.ts has that. Here are only the types that they call `string` or `any`.
 */
import * as models from "@kubernetes/client-node";
import { typeName } from "./kinds.ts";
import { isGone, newFieldsOf, type OwnField, ownFieldsOf } from "./own-models.ts";

interface Attribute {
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

type Model = { getAttributeTypeMap(): readonly Attribute[] };

/** The field names of resource lists and single quantities, which the models call strings. */
const quantityFields = new Set([
  "allocatable",
  "allocatedResources",
  "capacity",
  "default",
  "defaultRequest",
  "divisor",
  "hard",
  "limits",
  "max",
  "maximumVolumeSize",
  "maxLimitRequestRatio",
  "min",
  "overhead",
  "podFixed",
  "requests",
  "sizeLimit",
  "used",
]);

/** Types that the models call `any`, or lack. */
const ownTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  JSONSchemaProps: {
    additionalItems: "JSONSchemaPropsOrBool",
    additionalProperties: "JSONSchemaPropsOrBool",
    dependencies: "map[string]JSONSchemaPropsOrStringArray",
    items: "JSONSchemaPropsOrArray",
  },
  NodeAllocatableMappedResources: { quantity: "Quantity" },
  NodeAllocatableMapping: { capacityMultiplier: "Quantity", deviceMultiplier: "Quantity" },
  NodeAllocatableOverhead: { perPod: "Quantity", perContainer: "Quantity" },
  NodeAllocatableOverheadResources: { perPod: "Quantity", perContainer: "Quantity" },
  CapacityRequestPolicy: { validValues: "[]Quantity" },
  CapacityRequestPolicyRange: { step: "Quantity" },
  Counter: { value: "Quantity" },
  DeviceAllocationConfiguration: { requests: "[]string" },
  DeviceClaimConfiguration: { requests: "[]string" },
  DeviceConstraint: { requests: "[]string" },
  DeviceCapacity: { value: "Quantity" },
  DeviceRequestAllocationResult: { consumedCapacity: "map[string]Quantity" },
  CustomResourceSubresources: { status: "CustomResourceSubresourceStatus" },
};

/** The fields of a struct and their types in Go's notation. @param reached gets the model classes of the types */
export function modelFields(className: string, reached: (className: string) => void): Map<string, string> {
  const model = (models as unknown as Record<string, Model | undefined>)[className];
  const known = ownFieldsOf(className)?.map(attributeOf) ?? model?.getAttributeTypeMap();
  if (!known) throw new Error(`${className} is not exported by @kubernetes/client-node`);
  const kept = known.filter(({ baseName }) => !isGone(className, baseName));
  const attributes = [...kept, ...newFieldsOf(className).map(attributeOf)];
  const own = ownTypes[typeName(className)];
  return new Map(
    attributes.map((attribute) => {
      const ownType = own?.[attribute.baseName];
      if (ownType !== undefined && ownFieldsOf(ownType) !== undefined) reached(ownType);
      return [attribute.baseName, ownType ?? fieldType(attribute, reached)];
    }),
  );
}

function attributeOf({ name, type }: OwnField): Attribute {
  const isNumber = type === "int32" || type === "int64";
  return { baseName: name, type: isNumber ? "number" : type, format: isNumber ? type : "" };
}

function fieldType({ baseName, type, format }: Attribute, reached: (className: string) => void): string {
  const element = (name: string): string => {
    const list = /^Array<(.*)>$/.exec(name);
    if (list) return `[]${element(list[1]!)}`;
    const map = /^\{ \[key: string\]: (.*); \}$/.exec(name);
    if (map) return `map[string]${element(map[1]!)}`;
    if (name === "number") return format === "" ? "int32" : format.replace("double", "float64");
    if (name === "boolean") return "bool";
    if (name === "string" && format === "byte") return "bytes";
    if (name === "string") return quantityFields.has(baseName) ? "Quantity" : "string";
    if (name === "Date") return "Time";
    if (name === "V1MicroTime") return "MicroTime";
    if (name === "any" || name === "object" || name === "IntOrString") return name === "object" ? "any" : name;
    reached(name);
    return typeName(name);
  };
  return element(type);
}
