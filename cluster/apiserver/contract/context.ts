/**
 * The shared types of the API server: the stores, time, randomness and limits, one request after routing, and the
 * definition of a resource, for the table in registry/resources.ts.
 *
 * One file, because a request names its resource, and the rules of a resource take requests. An injected part
 * implements an interface from here, and is not imported.
 */
import type { ApiRequest, ApiResponse, Clock } from "../../../bindings/js/host.ts";
import type { Pod, ResourceQuota } from "../../values/kinds.ts";
import type { Admission, JsonObject, KubeObject, ObjectMeta, TypedObject } from "../../values/types.ts";
import type { KubernetesVersion, ServedVersion } from "../../values/kubernetes-versions.ts";
import type { BodyKind } from "../schema/decode.ts";
import type { UnknownFields } from "../schema/new-fields.ts";
import type { KubeletApi, LogSink, LogStream } from "./kubelet-api.ts";
import type { Document, Output } from "./output.ts";
import type { ReviewAnswers } from "./webhook-call.ts";
import type { Query } from "./query.ts";
import type { FieldError, Status, Violation } from "./status-errors.ts";
import type { KindOf, StoreFor } from "./store-of.ts";
import type { Owned, Revisions, Stored, TakeApart, TextSink } from "../storage/store.ts";
import type { TableDefinition } from "../tables/table.ts";
import type { Warnings } from "./warnings.ts";

export interface Limits {
  /** How many events a resource keeps for watches and for pages of a list. */
  readonly maxHistoryEvents: number;
  /** Size of a request body. */
  readonly maxBodyBytes: number;
  /** Operations of one JSON patch. */
  readonly maxJsonPatchOperations: number;
  /** Watches and followed logs that are open at the same time. */
  readonly maxStreams: number;
  /** Time between the bookmarks of a watch that asked for them. */
  readonly bookmarkIntervalMs: number;
  /** A watch without its own timeout ends after this time, or up to twice of it. */
  readonly minWatchTimeoutMs: number;
  /** How long an Event is kept after each write. */
  readonly eventTtlMs: number;
  /** With more Events the oldest go before that time. */
  readonly maxEvents: number;
}

export const defaultLimits: Limits = {
  maxHistoryEvents: 10_000,
  maxBodyBytes: 3 * 1024 * 1024,
  maxJsonPatchOperations: 10_000,
  maxStreams: 10_000,
  bookmarkIntervalMs: 60_000,
  minWatchTimeoutMs: 30 * 60_000,
  eventTtlMs: 3_600_000,
  maxEvents: 1_000_000,
};

export interface ServerContext {
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly admission: Admission;
  readonly limits: Limits;
  readonly revisions: Revisions;
  /** New pods get the service account `default`, as the ServiceAccount admission plugin does. */
  readonly assignsServiceAccount: boolean;
  /** Workloads and PodGroups are served, and pods may name their PodGroup. */
  readonly gangScheduling: boolean;
  /** Requests are answered as this version does. */
  readonly kubernetes: ServedVersion;
  /** Fields of the schema that this version does not know; undefined: it knows all. */
  readonly unknownFields: UnknownFields | undefined;
  readonly podPrecedents: Precedents;
  /** Undefined: there are none, and ResourceQuotas are refused. */
  readonly quotas: Quotas | undefined;
  /** Undefined: field ownership is not tracked, and the server refuses server-side apply. */
  readonly fieldOwners: FieldOwners | undefined;
  /** Undefined: no plugin reviews a write. */
  readonly plugins: AdmissionPlugins | undefined;
  /** Undefined: the server answers plain JSON and the metadata of objects alone, and has neither documents nor logs. */
  readonly clientSupport: ClientSupport | undefined;
  /** Every resource served. */
  readonly definitions: readonly ResourceDefinition[];
  store<Kind extends TypedObject>(definition: ResourceDefinition<Kind>): StoreFor<Kind>;
  definition<Group extends string, Resource extends string>(
    group: Group,
    resource: Resource,
  ): ResourceDefinition<KindOf<Group, Resource>>;
  kubelet(nodeName: string): KubeletApi | undefined;
  /** Counts a stream as open until the result is called. */
  openStream(): () => void;
}

/**
 * Tracks in metadata.managedFields who owns which field. The one implementation is apply/tracking.ts. It is injected,
 * because not every server needs it.
 */
export interface FieldOwners {
  /** A new object with its owners. `given`: the object of the client. */
  created(object: KubeObject, given: KubeObject, request: ResourceRequest): KubeObject;
  /** An object with its owners after an update. `given`: the metadata that the update brings. */
  updated(object: KubeObject, current: KubeObject, given: ObjectMeta, request: ResourceRequest): KubeObject;
  /** Handles server-side apply. @throws ApiError */
  apply(request: ResourceRequest): Outcome;
  /** Splits an incoming object into object and owners, for the store. */
  readonly takeApart: TakeApart;
  /** Whether the server leaves out the owners, as the sender asks: not if a webhook or a policy may read them. */
  mayOmit(request: ServerRequest, definition: ResourceDefinition, server: ServerContext): boolean;
  /** The owners of a new object, if the request leaves them out; else undefined. `given`: as for `created`. */
  ownedAtFirst(given: KubeObject, request: ResourceRequest): Owned | undefined;
  /** The owners of an object after an update of `current`, if the request leaves them out. */
  ownedAfter(current: Stored, request: ResourceRequest): Owned | undefined;
  /** An object without its owners, for a request that leaves them out. */
  bareItem(stored: Stored): ListItem;
}

/** Caches how admission completed the last pod. The one implementation is pods/precedent.ts. */
export interface Precedents {
  /** Keeps a pod as it was `given` to admission and as it was `completed`, both in written form. */
  set(given: Pod, completed: Pod): void;
  /** The pod, completed like the precedent. Undefined: it differs too much. */
  follow(pod: Pod, request: ResourceRequest): Pod | undefined;
}

/**
 * Serves ResourceQuotas. The one implementation is quota/quotas.ts. It is injected, because not every server needs it.
 */
export interface Quotas {
  /** The mistakes of a quota. `current` is absent on create. */
  validate(quota: ResourceQuota, current: ResourceQuota | undefined, request: ResourceRequest): readonly FieldError[];
  /**
   * Charges an object to the quotas of its namespace.
   * @param current before a change; undefined: the object is created
   * @returns why it exceeds a quota; undefined: it does not
   */
  charge(
    object: KubeObject,
    current: KubeObject | undefined,
    request: ResourceRequest,
    isDryRun: boolean,
  ): string | undefined;
}

/**
 * Reviews writes beyond the rules of their kinds. The one implementation is admission-plugins/chain.ts. It is injected,
 * because not every server needs it.
 */
export interface AdmissionPlugins {
  /**
   * The object that a create (`current` undefined) or an update, also of a subresource, may store.
   * @param object with its defaults, and valid
   * @param complete gives a changed object its defaults, and validates it
   * @throws ApiError if the write is refused
   */
  review(
    object: KubeObject,
    current: KubeObject | undefined,
    request: ResourceRequest,
    complete: (changed: KubeObject) => KubeObject,
  ): KubeObject;
  /** @throws ApiError if the object may not be deleted */
  reviewDelete(current: KubeObject, request: ResourceRequest): void;
  /** Called before the first of several deletions, so that webhooks are called before anything is written. */
  prepareDeletes(deletions: readonly ResourceRequest[]): void;
  /** @throws ApiError if the pod, which has not ended, may not be evicted */
  reviewEviction(pod: Pod, request: ResourceRequest, isDryRun: boolean): void;
  /** Whether a review may read the owners of fields, because a configuration asks it to. */
  looksAtOwners(server: ServerContext): boolean;
}

/** What an answer asks for: the events of a watch, after the first, leave the columns out. */
export interface TableForm {
  readonly hasColumns: boolean;
  readonly isList: boolean;
}

/**
 * Answers clients of people and tools, which ask for more than controllers: discovery of all groups, OpenAPI, forms of
 * an object other than JSON, and logs. The one implementation is registry/client-support.ts. It is injected, because
 * the playground's server has no such clients, and its Worker would load all of it before the first picture.
 */
export interface ClientSupport {
  /** The document of a group, or of all groups; the one of /api for the path of that. */
  groupsDocument(
    group: string | undefined,
    request: ApiRequest,
    definitions: readonly ResourceDefinition[],
    isIndented: boolean,
  ): Document;
  /**
   * The document at a path beside /api and /apis; undefined if there is none.
   * @throws ApiError 405
   */
  otherDocument(
    path: string,
    request: ApiRequest,
    served: Pick<ServerContext, "definitions" | "kubernetes">,
  ): Document | undefined;
  /** The form that an Accept header asks for. @throws ApiError 406 */
  readAccept(accept: string, isIndented: boolean, verb: Verb): Output;
  /** Checks the options of a watch that sends Tables. @throws ApiError 400 */
  checkTable(request: ResourceRequest): void;
  /** A Table of objects. @throws ApiError 400 for bad options */
  table(
    objects: readonly KubeObject[],
    metadata: object,
    output: Output,
    request: ResourceRequest,
    form: TableForm,
  ): object;
  /**
   * @returns the log of a container; undefined if the pod has no node yet, which is a response without content
   * @throws ApiError 400, 404, 422, 500
   */
  readLog(request: ResourceRequest): LogStream | undefined;
  /** The text that is there now. */
  wholeLog(log: LogStream): string;
  /** Passes on a followed log. It counts as open until it ends or is closed. */
  followLog(log: LogStream, sink: LogSink, server: ServerContext): () => void;
}

/** The sender of a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Authorizes a request, and returns the user that it acts as. The implementations are in access/.
 * @throws ApiError if that user may not do what it asks for
 */
export type Authorize = (request: ServerRequest, server: ServerContext) => ServerRequest;

/**
 * A request from within this process may carry its body as an object, which must not be changed. Then no JSON is
 * written or read.
 */
export interface ServerRequest extends ApiRequest {
  /** The object whose text is `body`. A copy of the request with another body must leave it out. */
  readonly content?: JsonObject;
  /**
   * The parts of `content` are in written form (schema/decode.ts), apart from metadata, so they are not decoded again.
   * Only components of this project say so; test/cluster/written-content.ts checks them.
   */
  readonly isWritten?: boolean;
  /**
   * The sender neither reads nor writes metadata.managedFields, so ownership is computed lazily, when another client
   * reads it. Only components of this process set this.
   */
  readonly omitsOwners?: boolean;
  /** Undefined: a component of this process. */
  readonly user?: User;
  /** The answers of webhooks to this request so far: admission-plugins/pending-review.ts. */
  readonly reviewAnswers?: ReviewAnswers;
}

/** A request to a resource, after routing. */
export interface ResourceRequest<Kind extends TypedObject = KubeObject> {
  readonly server: ServerContext;
  readonly definition: ResourceDefinition<Kind>;
  readonly subresource: Subresource | undefined;
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly query: Query;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. With `content` the text is built on first read. */
  readonly body: string;
  readonly content: JsonObject | undefined;
  /** See ServerRequest. */
  readonly isWritten: boolean;
  /** See ServerRequest, and FieldOwners.mayOmit. */
  readonly omitsOwners: boolean;
  readonly warnings: Warnings;
  /** See ServerRequest. */
  readonly user: User | undefined;
  /** See ServerRequest. */
  readonly reviewAnswers: ReviewAnswers | undefined;
}

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Only set if the kind belongs to another group: `policy/v1` for pods/eviction. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
  readonly verbs: readonly Verb[];
  /** A write of it changes nothing of the metadata. */
  readonly keepsMetadata?: true;
  /** A creation that does not just store the object. @throws ApiError */
  create?(request: ResourceRequest): Outcome;
  /** Handles all verbs of a subresource that is no part of the object as it is stored. @throws ApiError */
  handle?(verb: Exclude<Verb, "watch">, request: ResourceRequest): Outcome;
}

/** An object before it is normalized: its spec and its status may lack what is always written. */
export type Draft<Kind extends TypedObject> = {
  [Name in keyof Kind]: Name extends "spec" | "status" ? DraftPart<Kind[Name]> : Kind[Name];
};
export type DraftPart<Part> = { [Name in keyof Part]?: Part[Name] | undefined };

/**
 * The rules of one kind. Each hook returns a new object and does not change its arguments. The objects come decoded, so
 * they have what their types promise. What a hook leaves out is written after it.
 */
export interface Strategy<Kind extends TypedObject = KubeObject> {
  /** A write of the main resource can change the status too. */
  readonly writesStatus?: boolean;
  /** A decoded new object, with name, uid and namespace, before admission. */
  prepareCreate?(object: Kind, request: ResourceRequest): Draft<Kind>;
  /** A new object after admission, with its defaults. */
  completeCreate?(object: Kind, request: ResourceRequest): Draft<Kind>;
  /**
   * A new object as plugins see it: without what is filled in behind them. It is then completed again.
   * @param prepared the object before it got its defaults
   */
  beforePlugins?(object: Kind, prepared: Kind, request: ResourceRequest): Kind;
  /** The object that results from an update of the main resource. */
  prepareUpdate?(object: Kind, current: Kind, request: ResourceRequest): Draft<Kind>;
  /** The same for an update of a subresource, which by default keeps the spec. */
  prepareSubresourceUpdate?(object: Kind, current: Kind, request: ResourceRequest): Draft<Kind>;
  /**
   * Makes further changes to an object that is being deleted, beyond the marks of deletion.
   * @throws ApiError if the object may not be deleted
   */
  prepareDelete?(object: Kind, request: ResourceRequest): Draft<Kind>;
  /** Whether something other than metadata.finalizers keeps a deleted object. */
  isHeld?(object: Kind): boolean;
  /** Rules beyond those of the metadata. `current` is absent on create. */
  validate?(object: Kind, current: Kind | undefined, request: ResourceRequest): readonly Violation[];
}

/** Serves a kind in a second version beside the stored one. */
export interface Conversion<Kind extends TypedObject = KubeObject, StoredKind extends TypedObject = KubeObject> {
  toStored(object: Kind): StoredKind;
  fromStored(stored: StoredKind): Kind;
}

/** The fields by which a kind can be selected. */
export interface FieldLabels {
  /** Reads the field of each supported label. */
  readonly labels: Readonly<Record<string, (object: KubeObject) => string>>;
  /** The text of the 400 for another label. */
  readonly unsupported: (label: string) => string;
}

export interface ResourceDefinition<Kind extends TypedObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The version of Kubernetes that brought the kind. Undefined: all have it. */
  readonly since?: KubernetesVersion;
  readonly resource: string;
  readonly singular: string;
  readonly body: BodyKind;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  /** A creation that does not just store the object. @throws ApiError */
  create?(request: ResourceRequest): Outcome;
  readonly subresources: readonly Subresource[];
  /** The resource whose store holds the objects; two group versions of one kind share it. */
  readonly storage: string;
  /** The name of the store in error texts, where upstream's differs. */
  readonly storageKey?: string;
  /** A warning in every response: the version is deprecated. */
  readonly warning?: string;
  readonly conversion?: Conversion;
  /** metadata.generation counts the changes of spec. */
  readonly hasGeneration: boolean;
  readonly allowsUnconditionalUpdate: boolean;
  readonly createsOnUpdate: boolean;
  /** An immediate delete answers the object, not a Status. */
  readonly returnsDeletedObject: boolean;
  /** What a delete without options does. */
  readonly orphansByDefault: boolean;
  /** The injected admission function defaults and validates the kind. */
  readonly hasAdmission: boolean;
  readonly nameSyntax: "subdomain" | "label" | "path-segment";
  readonly fields: FieldLabels;
  /** Every answer warns of the resource. */
  readonly deprecation?: string;
  readonly strategy: Strategy<Kind>;
  /** Undefined: registry/base-tables.ts has it; a kind that is not there either prints names and ages. */
  readonly table: TableDefinition | undefined;
}

/** The answer of an operation; http/render.ts writes it. */
export type Outcome =
  /** `stored` is the object in the store. It shares its text with other readers. */
  | { readonly code: number; readonly object: KubeObject; readonly stored?: ListItem }
  | { readonly code: number; readonly list: ListResult }
  | { readonly code: number; readonly status: Status };

/** A response whose body is JSON names its object or list, so that an encoder of another form needs no JSON. */
export interface OutcomeAnswer extends ApiResponse {
  readonly outcome?: Outcome;
  /** The kind of the object, or of the items of the list. */
  readonly of?: BodyKind;
}

export interface ListResult {
  /** The items in the API version of the request. */
  readonly items: readonly ListItem[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface ListItem {
  readonly object: KubeObject;
  /** The object as JSON text. */
  readonly text: string;
  /** Writes the same text in pieces. */
  writeTo?(sink: TextSink): void;
}

/** The key of an object in its store: `namespace/name`, or only the name of a cluster-scoped object. */
export function keyOf(namespace: string, name: string): string {
  // Joined, because V8 keeps a concatenation with + as its pieces, and stores keep many keys.
  return namespace === "" ? name : [namespace, name].join("/");
}
