/**
 * The rules of the kind CustomResourceDefinition: its defaults, what is refused, and that it goes only after its
 * objects. Source: apiextensions-apiserver,
 * pkg/registry/customresourcedefinition.
 */
import type { KubeObject } from "../../values/types.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { forbidden } from "../contract/status-errors.ts";
import { formatTime } from "../../values/times.ts";
import { withCondition } from "./conditions.ts";
import { changeErrors, definitionErrors } from "./definition-rules.ts";
import { type DefinitionStatus, specOf, statusOf } from "./definition-spec.ts";
import { isKnownFormat } from "./formats.ts";
import { type JsonSchema, someSchema } from "../schema/json-schema.ts";

export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export const definitionStrategy: Strategy = {
  prepareCreate(crd, request) {
    refuseServedResource(crd, request);
    return withStoredVersion(withDefaults({ ...crd, status: {} }));
  },
  prepareUpdate: (crd) => withStoredVersion(withDefaults(crd)),
  prepareDelete(crd, { server }) {
    const { metadata } = crd;
    if (metadata.deletionTimestamp !== undefined) return crd;
    const finalizers = metadata.finalizers ?? [];
    const held = finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER];
    const deletionTimestamp = formatTime(server.clock.now());
    const marked = { ...crd, metadata: { ...metadata, deletionTimestamp, finalizers: held } };
    return withCondition(marked, server.clock.now(), {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    });
  },
  validate(crd, current, request) {
    if (request.subresource !== undefined) return [];
    warn(crd, current, request);
    return [...definitionErrors(crd), ...(current === undefined ? [] : changeErrors(crd, current))];
  },
};

/** A resource that is built into this server cannot be defined again. */
function refuseServedResource(crd: KubeObject, { server, definition }: ResourceRequest): void {
  const { group, names } = specOf(crd);
  const isOwn = server.definitions.some(
    (other) => other.group === group && other.resource === names?.plural && other.body.read === undefined,
  );
  if (isOwn)
    throw forbidden(
      { group: definition.group, name: definition.resource },
      crd.metadata.name,
      `this server serves ${names.plural}.${group} itself; name another group or resource`,
    );
}

function withDefaults(crd: KubeObject): KubeObject {
  const spec = specOf(crd);
  const { names, conversion } = spec;
  if (names === undefined) return crd;
  const { kind } = names;
  const complete = {
    ...names,
    singular: names.singular || (kind ?? "").toLowerCase(),
    ...((names.listKind || kind) && { listKind: names.listKind || `${kind}List` }),
  };
  return { ...crd, spec: { ...spec, names: complete, conversion: conversion ?? { strategy: "None" } } };
}

function withStoredVersion(crd: KubeObject): KubeObject {
  const status = (statusOf(crd) ?? {}) as Partial<DefinitionStatus>;
  const stored = specOf(crd).versions.find(({ storage }) => storage)?.name;
  const before = status.storedVersions ?? [];
  if (stored === undefined || before.includes(stored)) return crd;
  return { ...crd, status: { ...status, storedVersions: [...before, stored] } };
}

function warn(crd: KubeObject, current: KubeObject | undefined, { warnings }: ResourceRequest): void {
  const schemas = schemasOf(crd);
  const before = new Set(current && schemasOf(current).flatMap(unknownFormats));
  for (const format of schemas.flatMap(unknownFormats))
    if (!before.has(format)) warnings.add(`unrecognized format ${JSON.stringify(format)}`);
  const { conversion, versions } = specOf(crd);
  if (conversion?.strategy === "Webhook" && versions.length > 1)
    warnings.add("spec.conversion: the webhook is not asked; versions of an object differ in apiVersion alone");
}

function schemasOf(crd: KubeObject): JsonSchema[] {
  return specOf(crd).versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
}

function unknownFormats(schema: JsonSchema): string[] {
  const formats: string[] = [];
  someSchema(schema, ({ type, format }) => {
    if (format !== undefined && !isKnownFormat(type, format)) formats.push(format);
    return false;
  });
  return formats;
}
