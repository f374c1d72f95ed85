/**
 * `pods/NAME/ephemeralcontainers`: adds containers to a pod that is there already, as `kubectl debug` does.
 *
 * Invariant: a write changes nothing of the pod but this list, and what is in the list stays in it. A new container
 * keeps the rules of other containers, which admission knows, and has nothing that a pod could rely on: ports,
 * resources, probes, hooks. Leaves out the Secrets that an account may mount. Source: pkg/registry/core/pod and
 * ValidatePodEphemeralContainersUpdate in pkg/apis/core/validation.
 */
import type { Container, EphemeralContainer, Pod } from "../../values/kinds.ts";
import { reviewPart } from "../verbs/admission.ts";
import type { ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import { normalize } from "../schema/decode.ts";
import { deepEqual, quote } from "../../values/json.ts";
import { structType } from "../schema/schema.ts";
import type { FieldError, StatusCause, Violation } from "../contract/status-errors.ts";
import { DROPPED_OF_POD_SPEC, withoutDroppedFields } from "../strategies/dropped-fields.ts";
import { difference } from "../strategies/pods.ts";
import { MIRROR_ANNOTATION, withPart } from "./written-part.ts";

const NAME = "ephemeralcontainers";
const LIST = "spec.ephemeralContainers";
/** In the order of the type, in which upstream names them. */
const FORBIDDEN_FIELDS = [
  ...["ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules"],
  ...["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"],
];
const FORBIDDEN = "cannot be set for an Ephemeral Container";

const type = structType("EphemeralContainer");

/** The resource of pods with this subresource. */
export function withEphemeralContainers(pods: ResourceDefinition): ResourceDefinition {
  const { strategy, ...rest } = withPart(pods, { name: NAME, update: withList, validate: validateUpdate });
  return {
    ...rest,
    strategy: {
      ...strategy,
      validate(pod: Pod, current: Pod | undefined, request) {
        const errors = strategy.validate!(pod, current, request);
        return current === undefined && listOf(pod).length > 0
          ? [...errors, { kind: "Forbidden", field: LIST, detail: "cannot be set on create" }]
          : errors;
      },
    },
  };
}

function listOf({ spec }: Pod): readonly EphemeralContainer[] {
  return spec?.ephemeralContainers ?? [];
}

/** The stored pod with the given list, whose containers have their defaults. */
function withList(pod: Pod, current: Pod, request: ResourceRequest): Pod {
  const { ephemeralContainers: _stored, ...spec } = current.spec;
  const known = withoutDroppedFields(DROPPED_OF_POD_SPEC, pod.spec, current.spec, request.server);
  const { containers } = review(listOf({ ...pod, spec: known }), current, request);
  return {
    ...current,
    metadata: { ...current.metadata, ...(pod.metadata.uid && { uid: pod.metadata.uid }) },
    spec: { ...spec, ...(containers.length > 0 && { ephemeralContainers: containers }) },
  };
}

/**
 * The result of admission for these containers, without the fields that they may not have. Admission sees them behind
 * the init containers, because their names must differ from those of all others.
 */
function review(
  containers: readonly EphemeralContainer[],
  { spec, ...pod }: Pod,
  { definition, server }: ResourceRequest,
): { containers: EphemeralContainer[]; causes: readonly StatusCause[] } {
  const { ephemeralContainers: _stored, initContainers = [], ...others } = spec;
  const asked = {
    ...others,
    initContainers: [...initContainers, ...containers.map((container) => only(container, isCommon))],
  };
  const { object, causes } = reviewPart({ ...pod, spec: asked }, definition, server);
  const first = initContainers.length;
  const reviewed = object.spec.initContainers.slice(first);
  return {
    containers: containers.map((container, i) => normalize({ ...reviewed[i], ...only(container, isOwn) }, type)),
    causes: causes.map((cause) => renamed(cause, first)),
  };
}

/** Whether admission validates a field as for any container. */
const isCommon = (field: string): boolean => field !== "targetContainerName" && !FORBIDDEN_FIELDS.includes(field);
const isOwn = (field: string): boolean => !isCommon(field);

function only(container: EphemeralContainer, isWanted: (field: string) => boolean): EphemeralContainer {
  return Object.fromEntries(Object.entries(container).filter(([field]) => isWanted(field))) as EphemeralContainer;
}

/** Rewrites an error about an init container as one about the ephemeral container that it represents. */
function renamed(cause: StatusCause, first: number): StatusCause {
  const place = (index: string): string => `${LIST}[${Number(index) - first}]`;
  return { ...cause, field: cause.field.replace(/^spec\.initContainers\[(\d+)\]/, (_, index: string) => place(index)) };
}

function validateUpdate(pod: Pod, current: Pod, request: ResourceRequest): readonly Violation[] {
  if (current.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined)
    return [{ kind: "Forbidden", field: "[]", detail: "static pods do not support ephemeral containers" }];
  const containers = listOf(pod);
  const { causes } = review(containers, current, request);
  return [
    ...causes,
    ...containers.flatMap((container, index) => ownErrors(container, `${LIST}[${index}]`, current)),
    ...listOf(current).flatMap((old) => changeErrors(old, containers)),
  ];
}

/** What holds only for ephemeral containers. */
function ownErrors(container: EphemeralContainer, path: string, { spec }: Pod): FieldError[] {
  const errors: FieldError[] = [];
  const target = container.targetContainerName;
  const targets: readonly Container[] = [...spec.containers, ...(spec.initContainers ?? [])];
  if (target && !targets.some(({ name }) => name === target))
    errors.push({ kind: "NotFound", field: `${path}.targetContainerName`, value: target });
  const forbid = (field: string): void =>
    void errors.push({ kind: "Forbidden", field: `${path}.${field}`, detail: FORBIDDEN });
  for (const field of FORBIDDEN_FIELDS.filter((name) => isGiven(container, name))) forbid(field);
  for (const [index, mount] of (container.volumeMounts ?? []).entries())
    for (const field of ["subPath", "subPathExpr"] as const)
      if (mount[field]) forbid(`volumeMounts[${index}].${field}`);
  return errors;
}

/** Every container has resources, if only empty ones. */
function isGiven(container: Readonly<Record<string, any>>, field: string): boolean {
  return container[field] !== undefined && !(field === "resources" && deepEqual(container[field], {}));
}

/** An existing container must stay unchanged. */
function changeErrors(old: EphemeralContainer, containers: readonly EphemeralContainer[]): FieldError[] {
  const same = containers.find(({ name }) => name === old.name);
  const forbidden = (what: string): FieldError[] => [
    {
      kind: "Forbidden",
      field: LIST,
      detail: `existing ephemeral containers ${quote(old.name ?? "")} may not be ${what}`,
    },
  ];
  if (same === undefined) return forbidden("removed\n");
  return deepEqual(same, old) ? [] : forbidden(`changed\n${difference(same, old)}`);
}
