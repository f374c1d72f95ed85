/**
 * Writes down what a real API server does with Jobs and Pods, in the format of test/history/: writes and reads from the
 * server's own audit log, and every stored version from a separate watch.
 *
 * Invariant: the history is whole. It begins before there is a Job or a Pod, and ends at a version up to which the
 * watches have shown all that lists show; what came later is left out. A watch that the server ends is begun again
 * where it was; one that cannot continue is an error, and so is a server with Jobs or Pods at the beginning.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import {
  type Controller,
  type EventLine,
  FORMAT,
  type Job,
  LATE_AUDIT_ID,
  type Line,
  type Pod,
  type ReadLine,
  type Resource,
  type WriteLine,
} from "../history/format.ts";
import type { ApiClient } from "./api-client.ts";
import type { ControlPlane } from "./control-plane.ts";

const COLLECTIONS: Readonly<Record<Resource, string>> = { jobs: "/apis/batch/v1/jobs", pods: "/api/v1/pods" };
const RESOURCES = ["jobs", "pods"] as const;
/** How long the watch may take to show what a list shows. */
const MAX_LAG_MS = 30_000;
const POLL_MS = 100;

export interface HistoryRecorder {
  /** Waits until the watch has shown everything that is there. @throws Error when it does not, or has failed */
  finish(controllers: readonly Controller[]): Promise<Line[]>;
}

/** Begins, on a control plane with `audit: "objects"`. @throws Error when there are Jobs or Pods already */
export async function recordHistory(controlPlane: ControlPlane): Promise<HistoryRecorder> {
  const client = controlPlane.client();
  const beganMs = Date.now();
  const watched = await Promise.all(RESOURCES.map((resource) => watch(client, resource)));
  return {
    finish: async (controllers) => {
      try {
        const lastVersion = Math.min(...(await Promise.all(watched.map((each) => each.caughtUp()))));
        const header: Line = { line: "history", format: FORMAT, server: controlPlane.version, controllers };
        const isIn = (version = "0"): boolean => Number(version) <= lastVersion;
        const events = watched
          .flatMap(({ events }) => events)
          .filter(({ object }) => isIn(object.metadata.resourceVersion));
        const asked = await requests(controlPlane.auditLog, beganMs, new Set(controllers.map(({ user }) => user)));
        const inTime = asked.filter((line) => line.line === "read" || isIn(line.resourceVersion));
        return [header, ...inTime, ...events.toSorted((a, b) => versionOf(a.object) - versionOf(b.object))];
      } finally {
        for (const each of watched) each.stop();
        client.close();
      }
    },
  };
}

interface Watched {
  readonly events: EventLine[];
  /** @returns a version up to which nothing is missing in `events` */
  caughtUp(): Promise<number>;
  stop(): void;
}

interface ObjectList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly (Job | Pod)[];
}

async function watch(client: ApiClient, resource: Resource): Promise<Watched> {
  const path = COLLECTIONS[resource];
  const list = (): Promise<ObjectList> => client.succeed<ObjectList>("GET", path);
  const { metadata, items } = await list();
  if (items.length > 0)
    throw new Error(`there are ${items.length} ${resource} already; a history begins before the first`);
  const events: EventLine[] = [];
  /** Version of each object that is there, as the watch says. */
  const present = new Map<string, string>();
  const ending = new AbortController();
  let failure: Error | undefined;
  const follow = async (): Promise<void> => {
    let from = metadata.resourceVersion;
    while (!ending.signal.aborted) {
      for await (const { type, object } of client.watch<Job | Pod>(`${path}?resourceVersion=${from}`, ending.signal)) {
        if (type === "ERROR")
          throw new Error(`the watch of ${resource} failed at version ${from}: ${JSON.stringify(object)}`);
        from = object.metadata.resourceVersion;
        events.push({
          line: "event",
          type,
          object: resource === "jobs" ? slimJob(object as Job) : slimPod(object as Pod),
        });
        if (type === "DELETED") present.delete(object.metadata.uid);
        else present.set(object.metadata.uid, from);
      }
    }
  };
  follow().catch((error: Error) => {
    if (!ending.signal.aborted) failure = error;
  });
  const caughtUp = async (): Promise<number> => {
    const deadlineMs = performance.now() + MAX_LAG_MS;
    for (;;) {
      const { metadata, items } = await list();
      if (failure !== undefined) throw failure;
      if (
        items.length === present.size &&
        items.every(({ metadata }) => present.get(metadata.uid) === metadata.resourceVersion)
      )
        return Number(metadata.resourceVersion);
      if (performance.now() > deadlineMs)
        throw new Error(`after ${MAX_LAG_MS / 1000} s the watch of ${resource} still does not show what a list shows`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  return { events, caughtUp, stop: () => ending.abort() };
}

const versionOf = ({ metadata }: Job | Pod): number => Number(metadata.resourceVersion);

/** An event of the audit log (`audit.k8s.io/v1` Event). */
interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef: {
    readonly resource: Resource;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus: { readonly code: number; readonly message?: string };
  readonly requestObject?: unknown;
  readonly responseObject?: {
    readonly metadata?: { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string };
  };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

async function requests(
  auditLog: string,
  beganMs: number,
  controllers: ReadonlySet<string>,
): Promise<(WriteLine | ReadLine)[]> {
  const found: (WriteLine | ReadLine)[] = [];
  for await (const line of createInterface({ input: createReadStream(auditLog) })) {
    const event = JSON.parse(line) as AuditEvent;
    if (event.verb !== "list" && event.verb !== "watch") found.push(writeOf(event, beganMs, controllers));
    else if (controllers.has(event.user.username)) found.push(readOf(event, beganMs));
  }
  return found;
}

function writeOf(event: AuditEvent, beganMs: number, controllers: ReadonlySet<string>): WriteLine {
  const { verb, user, objectRef, responseStatus, responseObject, requestObject, auditID } = event;
  const { resource, subresource, namespace = "" } = objectRef;
  // A Job, a Pod, or the metadata of one alone, which the garbage collector asks for; a Status has no uid.
  const { name = objectRef.name, uid, resourceVersion } = responseObject?.metadata ?? {};
  return {
    line: "write",
    user: user.username,
    agent: (event.userAgent ?? "").split(/[ /]/)[0]!,
    verb,
    resource,
    ...(subresource === undefined ? {} : { subresource }),
    namespace,
    ...(name === undefined ? {} : { name }),
    sentMs: msSince(beganMs, event.requestReceivedTimestamp),
    answeredMs: msSince(beganMs, event.stageTimestamp),
    status: responseStatus.code,
    ...(controllers.has(user.username) && requestObject !== undefined && responseStatus.code >= 400
      ? { request: slimRequest(requestObject) }
      : {}),
    ...(uid === undefined ? {} : { uid }),
    ...(uid === undefined || resourceVersion === undefined ? {} : { resourceVersion }),
    ...(responseStatus.code < 400 || responseStatus.message === undefined ? {} : { message: responseStatus.message }),
    ...(auditID.startsWith(LATE_AUDIT_ID) ? { isLate: true as const } : {}),
  };
}

function readOf({ user, objectRef, requestURI, requestReceivedTimestamp }: AuditEvent, beganMs: number): ReadLine {
  const { searchParams } = new URL(requestURI, "https://server");
  const isFromNow = (searchParams.get("resourceVersion") ?? "") === "";
  // A watch without a version that does not stream the list begins anywhere.
  const isConsistent = isFromNow && (!searchParams.has("watch") || searchParams.get("sendInitialEvents") === "true");
  const { resource, namespace } = objectRef;
  return {
    line: "read",
    user: user.username,
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    sentMs: msSince(beganMs, requestReceivedTimestamp),
    isConsistent,
  };
}

/** To a microsecond, as the server's timestamps are. */
function msSince(beganMs: number, timestamp: string): number {
  const micros = Number(/\.(\d{6})Z$/.exec(timestamp)![1]) % 1000;
  return Number((Date.parse(timestamp) - beganMs + micros / 1000).toFixed(3));
}

/** Of a whole Job, as upstream's controller sends it, what is meant. */
function slimRequest(request: unknown): unknown {
  const { kind, status } = request as { readonly kind?: string; readonly status?: Job["status"] };
  return kind === "Job" ? { status: slimStatus(status) } : request;
}

type Metadata = Job["metadata"];

/** Every pod of a Job has them, and they say what owner and annotation say. */
const SILENT_LABELS = [
  "controller-uid",
  "job-name",
  "batch.kubernetes.io/job-name",
  "batch.kubernetes.io/job-completion-index",
];

function slimMetadata({
  name,
  namespace,
  uid,
  resourceVersion,
  deletionTimestamp,
  finalizers,
  labels,
  annotations,
  ownerReferences,
}: Metadata): Metadata {
  const own = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith("batch.kubernetes.io/"));
  const selecting = Object.entries(labels ?? {}).filter(([key]) => !SILENT_LABELS.includes(key));
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(selecting.length === 0 ? {} : { labels: Object.fromEntries(selecting) }),
    ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }),
    ...(ownerReferences === undefined
      ? {}
      : {
          ownerReferences: ownerReferences.map(({ kind, uid, controller }) => ({
            kind,
            uid,
            ...(controller === undefined ? {} : { controller }),
          })),
        }),
  };
}

function slimStatus(status: Job["status"] = {}): NonNullable<Job["status"]> {
  return { ...status, ...(status.conditions === undefined ? {} : { conditions: slimConditions(status.conditions) }) };
}

function slimConditions(
  conditions: readonly { readonly type: string; readonly status: string; readonly reason?: string }[],
): { type: string; status: string }[] {
  return conditions.map(({ type, status, reason }) => ({ type, status, ...(reason === undefined ? {} : { reason }) }));
}

function slimJob({ kind, metadata, spec, status }: Job): Job {
  const { template: _template, ...rest } = spec as Job["spec"] & { readonly template?: unknown };
  const { labels: _labels, ...named } = slimMetadata(metadata);
  return { kind, metadata: named, spec: rest, status: slimStatus(status) };
}

function slimPod({ kind, metadata, status = {} }: Pod): Pod {
  const { phase, conditions, containerStatuses, initContainerStatuses } = status;
  const ended = (statuses: NonNullable<Pod["status"]>["containerStatuses"]) =>
    statuses?.flatMap(({ name, state }) =>
      state?.terminated === undefined ? [] : [{ name, state: { terminated: { exitCode: state.terminated.exitCode } } }],
    ) ?? [];
  const [containers, initContainers] = [ended(containerStatuses), ended(initContainerStatuses)];
  const disruptions = (conditions ?? []).filter(
    ({ type }) =>
      !["Ready", "ContainersReady", "Initialized", "PodScheduled", "PodReadyToStartContainers"].includes(type),
  );
  return {
    kind,
    metadata: slimMetadata(metadata),
    status: {
      ...(phase === undefined ? {} : { phase }),
      ...(disruptions.length === 0 ? {} : { conditions: slimConditions(disruptions) }),
      ...(containers.length === 0 ? {} : { containerStatuses: containers }),
      ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers }),
    },
  };
}
