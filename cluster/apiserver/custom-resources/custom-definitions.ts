/** Turns a CustomResourceDefinition into the resources that the server serves: one a version. */
import type { Json, KubeObject } from "../../values/types.ts";
import { setShape } from "../apply/shape.ts";
import { allVerbs, metadataLabels, nameLabel, notSupported } from "../contract/resource-table.ts";
import { statusAlone } from "../contract/served-resource.ts";
import type { FieldLabels, ResourceDefinition, Subresource } from "../contract/context.ts";
import { forbidden, failure } from "../contract/status-errors.ts";
import { asStored, customBody, VersionView } from "./custom-body.ts";
import { customStrategy } from "./custom-strategy.ts";
import {
  compareVersions,
  type CustomVersion,
  type DefinitionSpec,
  isTrue,
  specOf,
  statusOf,
} from "./definition-spec.ts";
import { parseJsonPath } from "./json-path.ts";
import { printerTable } from "./printer-columns.ts";
import { scaleSubresource } from "./scale.ts";
import { resourceShape } from "./schema-shape.ts";

const patchFormats: ReadonlySet<string> = new Set([
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
]);

/** The views of the versions of one definition, by name. */
export type Views = Map<string, VersionView>;

/**
 * The served versions, the preferred one first. @param views those of the definition before its change; kept up to date
 */
export function customDefinitions(crd: KubeObject, views: Views): ResourceDefinition[] {
  const spec = specOf(crd);
  return spec.versions
    .filter(({ served }) => served)
    .toSorted((left, right) => compareVersions(left.name, right.name))
    .map((version) => customDefinition(crd, spec, version, views));
}

function customDefinition(
  crd: KubeObject,
  spec: DefinitionSpec,
  version: CustomVersion,
  views: Views,
): ResourceDefinition {
  const { group, scope } = spec;
  const names = statusOf(crd).acceptedNames;
  const schema = version.schema?.openAPIV3Schema ?? {};
  const body = customBody(group, version.name, names, schema);
  const storage = spec.versions.find((other) => other.storage)!;
  const storedSchema = storage.schema?.openAPIV3Schema ?? {};
  const isNamespaced = scope === "Namespaced";
  const view = views.get(version.name) ?? new VersionView(body.apiVersion);
  view.use(schema, storedSchema);
  views.set(version.name, view);
  setShape(body.type, resourceShape(schema));
  const definition: ResourceDefinition = {
    group,
    version: version.name,
    resource: names.plural,
    singular: names.singular ?? "",
    body: {
      ...body,
      checkPatch(format) {
        if (!patchFormats.has(format)) throw unsupportedPatch();
      },
    },
    isNamespaced,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: allVerbs,
    subresources: subresourcesOf(version, names.kind),
    storage: `${names.plural}.${group}`,
    conversion: {
      toStored: (object) => asStored(object, `${group}/${storage.name}`, storedSchema),
      fromStored: (stored) => view.shown(stored),
    },
    hasGeneration: false,
    allowsUnconditionalUpdate: false,
    createsOnUpdate: false,
    returnsDeletedObject: false,
    orphansByDefault: false,
    hasAdmission: false,
    nameSyntax: "subdomain",
    fields: fieldsOf(version, isNamespaced),
    strategy: customStrategy(version, schema),
    table: printerTable(version.additionalPrinterColumns),
    ...warningOf(version, spec),
  };
  return isTrue(crd, "Terminating") ? withoutCreation(definition) : definition;
}

function subresourcesOf({ subresources }: CustomVersion, kind: string): Subresource[] {
  return [
    ...(subresources?.status === undefined ? [] : [statusAlone(kind)]),
    ...(subresources?.scale === undefined ? [] : [scaleSubresource(subresources.scale)]),
  ];
}

function fieldsOf({ selectableFields = [] }: CustomVersion, isNamespaced: boolean): FieldLabels {
  const own = selectableFields.map(({ jsonPath }) => {
    const path = parseJsonPath(jsonPath);
    const read = (object: KubeObject): string => {
      const value = path?.(object as unknown as Json)[0];
      return value === undefined || value === null ? "" : String(value);
    };
    return [jsonPath.replace(/^\./, ""), read] as const;
  });
  return {
    labels: { ...(isNamespaced ? metadataLabels : nameLabel), ...Object.fromEntries(own) },
    unsupported: notSupported,
  };
}

/** While its definition goes, no object comes. */
function withoutCreation(definition: ResourceDefinition): ResourceDefinition {
  return {
    ...definition,
    strategy: {
      ...definition.strategy,
      prepareCreate(object) {
        throw forbidden(
          { group: definition.group, name: definition.resource },
          object.metadata.name,
          "create not allowed while custom resource definition is terminating",
        );
      },
    },
  };
}

function warningOf(version: CustomVersion, { group, names, versions }: DefinitionSpec): { warning?: string } {
  if (!version.deprecated) return {};
  if (version.deprecationWarning !== undefined) return { warning: version.deprecationWarning };
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const [better] = versions
    .filter(({ name, served, deprecated }) => served && !deprecated && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .toSorted(compareVersions);
  return { warning: better === undefined ? text : `${text}; use ${group}/${better} ${names.kind}` };
}

const unsupportedPatch = () =>
  failure({
    code: 415,
    reason: "UnsupportedMediaType",
    message: `the body of the request was in an unknown format - accepted media types include: ${[...patchFormats].join(", ")}`,
  });
