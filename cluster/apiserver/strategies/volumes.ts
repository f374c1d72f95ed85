/**
 * The rules of PersistentVolumes and claims. Of the many kinds of volumes only paths of the machine are checked. Leaves
 * out node affinity, and what a claim begins with. Source: pkg/apis/core/v1/defaults.go, pkg/apis/core/validation,
 * pkg/registry/core/persistentvolume.
 */
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
  PersistentVolumeSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
  VolumeResourceRequirements,
} from "../../values/kinds.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { subdomainErrors } from "../../values/names.ts";
import { milliOf } from "../../values/quantities.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { formatTime } from "../../values/times.ts";
import { keepSpec } from "../verbs/update.ts";
import { forbidden, immutable, invalid, invalidAll, notSupported, oneOf, required } from "./field-errors.ts";
import { selectorErrors } from "./selector-errors.ts";
import { DROPPED_OF_CLAIM_STATUS, withoutDroppedFields } from "./dropped-fields.ts";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];
const VOLUME_MODES = ["Block", "Filesystem"];
/** The fields of a volume beside its source. */
const COMMON_FIELDS = [
  ...["capacity", "accessModes", "claimRef", "persistentVolumeReclaimPolicy", "storageClassName", "mountOptions"],
  ...["volumeMode", "nodeAffinity", "volumeAttributesClassName"],
];
const FIXED_CLAIM =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const FIXED_SOURCE = "spec.persistentvolumesource is immutable after creation";

type Fields = Readonly<Record<string, any>>;

const now = ({ server }: ResourceRequest): string => formatTime(server.clock.now());

export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  prepareCreate: (volume, request) => ({
    ...withVolumeDefaults(volume),
    status: { phase: "Pending", lastPhaseTransitionTime: now(request) },
  }),
  prepareUpdate: withVolumeDefaults,
  prepareSubresourceUpdate(volume, current, request) {
    const kept = withPhase(keepSpec(volume, current));
    const { phase, lastPhaseTransitionTime: time } = kept.status;
    const before = current.status ?? {};
    if (phase === before.phase ? time !== undefined : time !== undefined && time !== before.lastPhaseTransitionTime)
      return kept;
    const lastPhaseTransitionTime = phase === before.phase ? before.lastPhaseTransitionTime : now(request);
    return { ...kept, status: { ...kept.status, ...(lastPhaseTransitionTime && { lastPhaseTransitionTime }) } };
  },
  validate: ({ spec }, current, request) =>
    request.subresource ? [] : [...volumeErrors(spec), ...volumeChangeErrors(spec, current?.spec)],
};

function withVolumeDefaults(volume: PersistentVolume): PersistentVolume {
  const { spec } = volume;
  const { hostPath } = spec;
  return {
    ...volume,
    spec: {
      ...spec,
      persistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy || "Retain",
      volumeMode: spec.volumeMode ?? "Filesystem",
      ...(hostPath && { hostPath: { ...hostPath, type: hostPath.type ?? "" } }),
    },
  };
}

function withPhase<Kind extends PersistentVolume | PersistentVolumeClaim>(object: Kind): Kind {
  return { ...object, status: { ...object.status, phase: object.status?.phase || "Pending" } };
}

function volumeErrors(spec: PersistentVolumeSpec): FieldError[] {
  const { capacity = {}, accessModes = [], persistentVolumeReclaimPolicy, storageClassName, volumeMode } = spec;
  const hasStorageAlone = Object.keys(capacity).join() === "storage";
  return [
    ...(accessModes.length > 0 ? [] : [required("spec.accessModes")]),
    ...accessErrors(accessModes),
    ...(Object.keys(capacity).length > 0 ? [] : [required("spec.capacity")]),
    ...(hasStorageAlone ? [] : [notSupported(spec.capacity, ["storage"], "spec.capacity")]),
    ...Object.entries(capacity).flatMap(([name, amount]) => positiveErrors(amount, `spec.capacity[${name}]`)),
    ...oneOf(persistentVolumeReclaimPolicy, RECLAIM_POLICIES, "spec.persistentVolumeReclaimPolicy"),
    ...sourceErrors(spec),
    ...classErrors(storageClassName),
    ...oneOf(volumeMode, VOLUME_MODES, "spec.volumeMode"),
  ];
}

function accessErrors(modes: readonly string[]): FieldError[] {
  const field = "spec.accessModes";
  const isMixed = modes.includes("ReadWriteOncePod") && new Set(modes.filter(isAccessMode)).size > 1;
  return [
    ...modes.flatMap((mode) => oneOf(mode, ACCESS_MODES, field)),
    ...(isMixed ? [forbidden(field, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

const isAccessMode = (mode: string): boolean => ACCESS_MODES.includes(mode);

function positiveErrors(amount: string, field: string): FieldError[] {
  return milliOf(amount) > 0n ? [] : [invalid(field, amount, "must be greater than zero")];
}

function classErrors(name: string | undefined): FieldError[] {
  return name ? invalidAll(subdomainErrors(name), "spec.storageClassName", name) : [];
}

function sourceOf(spec: PersistentVolumeSpec): Fields {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !COMMON_FIELDS.includes(name)));
}

function sourceErrors(spec: PersistentVolumeSpec): FieldError[] {
  const [kind, ...more] = Object.keys(sourceOf(spec));
  if (kind === undefined) return [required("spec", "must specify a volume type")];
  return [
    ...more.map((name) => forbidden(`spec.${name}`, "may not specify more than 1 volume type")),
    ...(kind === "hostPath" || kind === "local" ? pathErrors(spec[kind]!.path, `spec.${kind}.path`) : []),
    ...(kind === "local" && !spec.nodeAffinity?.required
      ? [required("spec.nodeAffinity", "Local volume requires node affinity")]
      : []),
  ];
}

function pathErrors(path: string, field: string): FieldError[] {
  if (!path) return [required(field)];
  return path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];
}

function volumeChangeErrors(spec: PersistentVolumeSpec, before: PersistentVolumeSpec | undefined): FieldError[] {
  if (before === undefined) return [];
  const changed = changedFields(sourceOf(spec), sourceOf(before));
  return [
    ...(changed.length > 0 ? [forbidden("spec.persistentvolumesource", changeText(FIXED_SOURCE, changed))] : []),
    ...immutable(["volumeMode"], spec, before),
  ];
}

function changedFields(object: Fields, before: Fields): string[] {
  const names = new Set([...Object.keys(object), ...Object.keys(before)]);
  return [...names].filter((name) => !deepEqual(object[name], before[name]));
}

/** Upstream shows the difference line by line, with the names of its Go types. */
function changeText(text: string, changed: readonly string[]): string {
  return `${text}\nchanged: ${changed.join(", ")}`;
}

export const persistentVolumeClaimStrategy: Strategy<PersistentVolumeClaim> = {
  prepareCreate: (claim) => ({ ...withClaimDefaults(claim), status: { phase: "Pending" } }),
  prepareUpdate: withClaimDefaults,
  prepareSubresourceUpdate(claim, current, { server }) {
    const { status, ...kept } = withPhase(keepSpec(claim, current));
    return {
      ...kept,
      ...(status && { status: withoutDroppedFields(DROPPED_OF_CLAIM_STATUS, status, current.status, server) }),
    };
  },
  validate: (claim, current, request) =>
    request.subresource ? [] : [...claimErrors(claim.spec), ...(current ? claimChangeErrors(claim, current) : [])],
};

function withClaimDefaults(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { dataSource, dataSourceRef, volumeMode, ...spec } = claim.spec;
  return {
    ...claim,
    spec: { ...spec, volumeMode: volumeMode ?? "Filesystem", ...sources(dataSource, dataSourceRef) },
  };
}

/** A claim's data source is in two fields, of which a client may set one. */
function sources(
  source: TypedLocalObjectReference | undefined,
  reference: TypedObjectReference | undefined,
): Pick<PersistentVolumeClaimSpec, "dataSource" | "dataSourceRef"> {
  if (reference?.namespace) return { ...(source && { dataSource: source }), dataSourceRef: reference };
  const given = source ?? reference;
  return given ? { dataSource: source ?? given, dataSourceRef: reference ?? given } : {};
}

/** A claim in a template, which is written as a whole object. */
export function claimOfTemplate(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const head = { kind: "PersistentVolumeClaim", apiVersion: "v1" } as const;
  return withPhase(withClaimDefaults({ ...head, ...claim }));
}

function claimErrors(spec: PersistentVolumeClaimSpec): FieldError[] {
  const { accessModes = [], selector, resources, storageClassName, volumeMode } = spec;
  const amount = resources?.requests?.storage;
  const field = "spec.resources[storage]";
  return [
    ...(accessModes?.length ? [] : [required("spec.accessModes", "at least 1 access mode is required")]),
    ...selectorErrors(selector ?? {}, "spec.selector"),
    ...accessErrors(accessModes),
    ...(amount === undefined ? [required(field)] : positiveErrors(amount, field)),
    ...classErrors(storageClassName),
    ...oneOf(volumeMode, VOLUME_MODES, "spec.volumeMode"),
  ];
}

/** A claim gets its volume once; a bound one may request more storage. */
function claimChangeErrors({ spec, status }: PersistentVolumeClaim, current: PersistentVolumeClaim): FieldError[] {
  const { spec: before } = current;
  const isBound = status?.phase === "Bound";
  const fixed = (part: PersistentVolumeClaimSpec): object => ({
    ...part,
    ...(!before.volumeName && { volumeName: "" }),
    ...(isBound && { volumeAttributesClassName: "", resources: withoutStorage(part.resources) }),
  });
  const changed = changedFields(fixed(spec), fixed(before));
  return [
    ...(changed.length > 0 ? [forbidden("spec", changeText(FIXED_CLAIM, changed))] : []),
    ...(isShrunk(spec, before, status)
      ? [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")]
      : []),
    ...immutable(["volumeMode"], spec, before),
  ];
}

function withoutStorage(resources: VolumeResourceRequirements): VolumeResourceRequirements {
  return { ...resources, requests: { ...resources.requests, storage: "" } };
}

function isShrunk(
  spec: PersistentVolumeClaimSpec,
  before: PersistentVolumeClaimSpec,
  status: PersistentVolumeClaimStatus | undefined,
): boolean {
  const sizeOf = ({ resources }: PersistentVolumeClaimSpec): bigint => milliOf(resources?.requests?.storage ?? "0");
  return sizeOf(spec) < sizeOf(before) && sizeOf(spec) <= milliOf(status?.capacity?.storage ?? "0");
}
