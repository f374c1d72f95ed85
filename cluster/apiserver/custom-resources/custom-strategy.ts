/** The rules of a custom resource. Source: apiextensions-apiserver, pkg/registry/customresource. */
import type { JsonObject, KubeObject } from "../../values/types.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { qualifiedNameErrors } from "../../values/names.ts";
import type { Violation } from "../contract/status-errors.ts";
import { brokenRules } from "./cel-rules.ts";
import { embeddedViolations } from "./embedded-violations.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { propertyOf } from "../schema/json-schema.ts";
import { listViolations } from "./list-violations.ts";
import { scaleViolations } from "./scale.ts";
import { schemaViolations } from "./schema-validation.ts";
import type { CustomVersion } from "./definition-spec.ts";

const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** The rules of one version. */
export function customStrategy({ subresources }: CustomVersion, schema: JsonSchema): Strategy {
  const hasStatus = subresources?.status !== undefined;
  const withStatusOf = (object: KubeObject, other: KubeObject): KubeObject =>
    hasStatus ? withStatus(object, other["status"]) : object;
  return {
    writesStatus: !hasStatus,
    prepareCreate: (object) => withGeneration(withStatusOf(object, { ...object, status: undefined } as KubeObject), 1),
    prepareUpdate(object, current) {
      const next = withStatusOf(object, current);
      const { generation = 0 } = current.metadata;
      return isSameButMetadata(next, current) ? next : withGeneration(next, generation + 1);
    },
    prepareSubresourceUpdate: (object, current) => withStatus(current, object["status"]),
    validate(object, current, request) {
      warnAboutFinalizers(object, current, request);
      return violations(object, current, request, schema, subresources?.scale);
    },
  };
}

function withStatus(object: KubeObject, status: unknown): KubeObject {
  if (object["status"] === status) return object;
  if (status !== undefined) return { ...object, status };
  const { status: _dropped, ...rest } = object;
  return rest as KubeObject;
}

function withGeneration(object: KubeObject, generation: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, generation } };
}

function isSameButMetadata({ metadata: _a, ...left }: KubeObject, { metadata: _b, ...right }: KubeObject): boolean {
  return deepEqual(left, right);
}

function violations(
  object: KubeObject,
  current: KubeObject | undefined,
  { subresource, warnings }: ResourceRequest,
  schema: JsonSchema,
  scale: NonNullable<CustomVersion["subresources"]>["scale"],
): Violation[] {
  const [value, before] = [plain(object), current && plain(current)];
  const found: Violation[] =
    subresource?.name === "status"
      ? statusViolations(value, before, schema)
      : schemaViolations(value, schema, { before });
  if (scale !== undefined) found.push(...scaleViolations(value, scale, subresource?.name === "status"));
  if (subresource === undefined) found.push(...embeddedViolations(value, schema));
  // Lists that had repeated items before may keep them.
  if (before === undefined || listViolations(before, schema).length === 0) found.push(...listViolations(value, schema));
  const rules = brokenRules(value, before, schema, found);
  for (const warning of rules.warnings) warnings.add(warning);
  return [...found, ...rules.violations];
}

function statusViolations(value: JsonObject, before: JsonObject | undefined, schema: JsonSchema): Violation[] {
  const status = propertyOf(schema, "status");
  if (status === undefined || value["status"] === undefined) return [];
  return schemaViolations(value["status"], status, { place: "status", before: before?.["status"] });
}

function plain(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

function warnAboutFinalizers(
  { metadata }: KubeObject,
  current: KubeObject | undefined,
  { warnings }: ResourceRequest,
): void {
  const before = new Set(current?.metadata.finalizers);
  for (const finalizer of metadata.finalizers ?? []) {
    if (before.has(finalizer)) continue;
    const about = `metadata.finalizers: ${JSON.stringify(finalizer)}:`;
    for (const error of qualifiedNameErrors(finalizer)) warnings.add(`${about} ${error}`);
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    const form = finalizer.includes(".") ? " including a path (/)" : "";
    warnings.add(
      `${about} prefer a domain-qualified finalizer name${form} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
