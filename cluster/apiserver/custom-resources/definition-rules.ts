/**
 * Validates a CustomResourceDefinition: its name and names, its versions, its subresources and columns. Source:
 * apiextensions-apiserver, pkg/apis/apiextensions/validation.
 */
import type { Json, KubeObject } from "../../values/types.ts";
import { deepEqual } from "../../values/json.ts";
import { subdomainErrors } from "../../values/names.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";
import {
  type CustomVersion,
  type DefinitionSpec,
  type DefinitionStatus,
  isTrue,
  type Names,
  type ScalePaths,
  specOf,
  statusOf,
} from "./definition-spec.ts";
import { dnsLabelErrors } from "../strategies/dns-label.ts";
import { parseJsonPath } from "./json-path.ts";
import { type JsonSchema, propertyOf, someSchema } from "../schema/json-schema.ts";
import type { PrinterColumn } from "./printer-columns.ts";
import { schemaErrors } from "./schema-rules.ts";

const MAX_SELECTABLE_FIELDS = 8;
const MAX_WARNING_LENGTH = 256;
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function definitionErrors(crd: KubeObject): Violation[] {
  const spec = specOf(crd);
  const name = `${spec.names.plural}.${spec.group}`;
  return [
    ...(crd.metadata.name === name
      ? []
      : [invalid("metadata.name", crd.metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(spec),
    ...statusErrors(statusOf(crd), spec),
    ...approvalErrors(crd),
  ];
}

/** What an update must not change. */
export function changeErrors(crd: KubeObject, current: KubeObject): FieldError[] {
  const [spec, before] = [specOf(crd), specOf(current)];
  const frozen: (readonly [field: string, value: string, before: string])[] = [
    ["group", spec.group, before.group],
    ["names.plural", spec.names.plural, before.names.plural],
  ];
  if (isTrue(current, "Established"))
    frozen.unshift(["scope", spec.scope, before.scope], ["names.kind", spec.names.kind, before.names.kind]);
  return frozen
    .filter(([, value, old]) => value !== old)
    .map(([field, value]) => invalid(`spec.${field}`, value, "field is immutable"));
}

function invalid(field: string, value: Json | undefined, detail: string): FieldError {
  return { kind: "Invalid", field, value: value ?? null, detail };
}

function required(field: string, detail?: string): FieldError {
  return { kind: "Required", field, ...(detail !== undefined && { detail }) };
}

function specErrors(spec: DefinitionSpec): Violation[] {
  const { group, names, scope, versions, conversion } = spec;
  const errors: Violation[] = [...groupErrors(group)];
  if (!scope) errors.push(required("spec.scope"));
  else if (scope !== "Cluster" && scope !== "Namespaced")
    errors.push(notSupported("spec.scope", scope, ["Cluster", "Namespaced"]));
  versions.forEach(({ schema }, index) => {
    if (schema?.openAPIV3Schema === undefined) errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  });
  versions.forEach((version, index) => errors.push(...versionErrors(version, `spec.versions[${index}]`)));
  errors.push(...partErrors(spec));
  const first = versions[0] && dnsLabelErrors(versions[0].name);
  if (first !== undefined && first.length > 0) errors.push(invalid("spec.version", versions[0]!.name, first.join(",")));
  const shown = versions as unknown as Json;
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid("spec.versions", shown, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  for (const name of ["plural", "singular", "kind", "listKind"] as const)
    if (!names[name]) errors.push(required(`spec.names.${name}`));
  errors.push(...nameErrors(names, "spec.names"));
  const strategy = conversion?.strategy ?? "None";
  if (strategy !== "None" && strategy !== "Webhook")
    errors.push(notSupported("spec.conversion.strategy", strategy, ["None", "Webhook"]));
  if (strategy === "Webhook" && conversion?.webhook === undefined)
    errors.push(required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook"));
  if ((spec as { preserveUnknownFields?: boolean }).preserveUnknownFields) {
    if (versions.some(({ schema }) => someSchema(schema?.openAPIV3Schema, (part) => part.default !== undefined)))
      errors.push(invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"));
    errors.push(
      invalid(
        "spec.preserveUnknownFields",
        true,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ),
    );
  }
  return errors;
}

function notSupported(field: string, value: string, allowed: readonly string[]): FieldError {
  const supported = allowed.map((one) => JSON.stringify(one)).join(", ");
  return { kind: "NotSupported", field, value, detail: `supported values: ${supported}` };
}

function groupErrors(group: string): FieldError[] {
  if (!group) return [required("spec.group")];
  const errors = subdomainErrors(group);
  if (errors.length > 0) return [invalid("spec.group", group, errors.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function versionErrors(version: CustomVersion, field: string): FieldError[] {
  const problems = dnsLabelErrors(version.name);
  return [
    ...(problems.length > 0 ? [invalid(`${field}.name`, version.name, problems.join(","))] : []),
    ...warningErrors(version, field),
  ];
}

/**
 * Validates the fields that each version sets itself. Upstream quirk: fields that are equal in all versions are checked
 * once, under the path that they had before there were versions.
 */
function partErrors({ versions }: DefinitionSpec): Violation[] {
  const areAlike = (part: keyof CustomVersion): boolean =>
    versions.every((version) => version[part] !== undefined && deepEqual(version[part], versions[0]![part]));
  const check = (part: keyof CustomVersion, field: string, errorsOf: PartErrors): Violation[] =>
    areAlike(part)
      ? versions.slice(0, 1).flatMap((version) => errorsOf(version, `spec.${field}`))
      : versions.flatMap((version, index) => errorsOf(version, `spec.versions[${index}].${part}`));
  const hasAnyStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  return [
    ...check("schema", "validation", ({ schema, subresources }, field) =>
      schema?.openAPIV3Schema === undefined
        ? []
        : schemaErrors(
            schema.openAPIV3Schema,
            `${field}.openAPIV3Schema`,
            areAlike("schema") ? hasAnyStatus : subresources?.status !== undefined,
          ),
    ),
    ...check("subresources", "subresources", ({ subresources }, field) =>
      subresources?.scale === undefined ? [] : scaleErrors(subresources.scale, field),
    ),
    ...check("additionalPrinterColumns", "additionalPrinterColumns", ({ additionalPrinterColumns = [] }, field) =>
      additionalPrinterColumns.flatMap((column, index) => columnErrors(column, `${field}[${index}]`)),
    ),
    ...check("selectableFields", "selectableFields", ({ schema, selectableFields = [] }, field) =>
      schema?.openAPIV3Schema === undefined
        ? []
        : selectableErrors(
            selectableFields.map(({ jsonPath }) => jsonPath),
            schema.openAPIV3Schema,
            field,
          ),
    ),
  ];
}

type PartErrors = (version: CustomVersion, field: string) => Violation[];

function warningErrors({ deprecated, deprecationWarning: warning }: CustomVersion, field: string): FieldError[] {
  if (warning === undefined) return [];
  const at = `${field}.deprecationWarning`;
  if (!deprecated) return [invalid(at, warning, "can only be set for deprecated versions")];
  if (warning.length > MAX_WARNING_LENGTH)
    return [invalid(at, warning, `must be <= ${MAX_WARNING_LENGTH} characters long`)];
  return warning === "" ? [invalid(at, warning, "must not be an empty string")] : [];
}

function scaleErrors(
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths,
  field: string,
): FieldError[] {
  const check = (name: string, path: string, roots: readonly string[], where: string): FieldError[] => {
    const at = `${field}.scale.${name}`;
    if (!path.startsWith(".")) return [invalid(at, path, "must be a simple json path starting with .")];
    return roots.some((root) => path.startsWith(root))
      ? []
      : [invalid(at, path, `should be a json path under ${where}`)];
  };
  return [
    ...(specReplicasPath
      ? check("specReplicasPath", specReplicasPath, [".spec."], ".spec")
      : [required(`${field}.scale.specReplicasPath`)]),
    ...(statusReplicasPath
      ? check("statusReplicasPath", statusReplicasPath, [".status."], ".status")
      : [required(`${field}.scale.statusReplicasPath`)]),
    ...(labelSelectorPath
      ? check("labelSelectorPath", labelSelectorPath, [".spec.", ".status."], "either .spec or .status")
      : []),
  ];
}

function columnErrors({ name, type, format, jsonPath }: PrinterColumn, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const allowed = `must be one of ${columnTypes.join(",")}`;
  if (!name) errors.push(required(`${field}.name`));
  if (!type) errors.push(required(`${field}.type`, allowed));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${field}.type`, type, allowed));
  if (format && !columnFormats.includes(format))
    errors.push(invalid(`${field}.format`, format, `must be one of ${columnFormats.join(",")}`));
  if (!jsonPath) errors.push(required(`${field}.JSONPath`));
  else if (!jsonPath.startsWith("."))
    errors.push(invalid(`${field}.JSONPath`, jsonPath, "must be a simple json path starting with ."));
  return errors;
}

function selectableErrors(paths: readonly string[], schema: JsonSchema, field: string): Violation[] {
  const errors: Violation[] = [];
  const seen = new Set<string>();
  paths.forEach((path, index) => {
    const at = `${field}[${index}].jsonPath`;
    if (!path) return void errors.push(required(at));
    const target = schemaAt(schema, path);
    if (target === undefined || parseJsonPath(path) === undefined)
      return void errors.push(invalid(at, path, "is an invalid path: does not refer to a valid field"));
    if (path.startsWith(".metadata")) errors.push(invalid(at, path, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(target.type ?? ""))
      errors.push(
        invalid(
          at,
          path,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    if (seen.has(path)) errors.push({ kind: "Duplicate", field: at, value: path });
    seen.add(path);
  });
  if (seen.size > MAX_SELECTABLE_FIELDS)
    errors.push({
      reason: "FieldValueTooMany",
      message: `Too many: ${seen.size}: must have at most ${MAX_SELECTABLE_FIELDS} items`,
      field,
    });
  return errors;
}

function schemaAt(schema: JsonSchema, path: string): JsonSchema | undefined {
  let target: JsonSchema | undefined = schema;
  for (const name of path.replace(/^\./, "").split(".")) target = target && propertyOf(target, name);
  return target;
}

function nameErrors(names: Names, field: string): FieldError[] {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  const check = (at: string, value: string | undefined, prefix = ""): FieldError[] => {
    const errors = value ? dnsLabelErrors(prefix === "" ? value : value.toLowerCase()) : [];
    return errors.length === 0 ? [] : [invalid(`${field}.${at}`, value!, prefix + errors.join(","))];
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  return [
    ...check("plural", plural),
    ...check("singular", singular),
    ...check("kind", kind, mixed),
    ...check("listKind", listKind, mixed),
    ...shortNames.flatMap((name, index) => check(`shortNames[${index}]`, name)),
    ...(kind && kind === listKind
      ? [invalid(`${field}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((name, index) => check(`categories[${index}]`, name)),
  ];
}

function statusErrors({ acceptedNames, storedVersions }: DefinitionStatus, { versions }: DefinitionSpec): FieldError[] {
  const field = "status.storedVersions";
  const errors = nameErrors(acceptedNames, "status.acceptedNames");
  const stored = storedVersions ?? [];
  if (stored.length === 0) return [...errors, invalid(field, null, "must have at least one stored version")];
  for (const { name, storage } of versions)
    if (storage && !stored.includes(name))
      errors.push(invalid(field, [...stored], `must have the storage version ${name}`));
  stored.forEach((version, index) => {
    if (!versions.some(({ name }) => name === version))
      errors.push(
        invalid(
          `${field}[${index}]`,
          version,
          `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
        ),
      );
  });
  return errors;
}

/** Kubernetes' own groups need an annotation with a link to their approval. */
function approvalErrors({ metadata, spec }: KubeObject): FieldError[] {
  const group: string = spec.group ?? "";
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const annotation = "api-approved.kubernetes.io";
  const field = `metadata.annotations[${annotation}]`;
  const approval = metadata.annotations?.[annotation] ?? "";
  const why = `protected groups must have approval annotation "${annotation}"`;
  const more = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval === "") return [required(field, `${why}, ${more}`)];
  if (approval.startsWith("unapproved") || /^https?:\/\/./.test(approval)) return [];
  return [invalid(field, approval, `${why} with either a URL or a reason starting with "unapproved", ${more}`)];
}
