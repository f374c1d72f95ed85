/**
 * The API server: one synchronous function from request to answer, over stores in memory. It uses only the clock and
 * the random numbers that it is given, so the same requests give the same answers. Leaves out authentication, the rules
 * of authorization (access/), and every controller but that of quotas (quota/recount.ts).
 */
import type { ApiRequest, ApiResponse, Clock } from "../../bindings/js/host.ts";
import type { Admission, KubeObject, TypedObject } from "../values/types.ts";
import type {
  AdmissionPlugins,
  Authorize,
  ClientSupport,
  FieldOwners,
  Limits,
  Outcome,
  Quotas,
  ResourceDefinition,
  ResourceRequest,
  ServerContext,
  ServerRequest,
  Verb,
} from "./contract/context.ts";
import type { StoreFor } from "./contract/store-of.ts";
import type { Document } from "./contract/output.ts";
import { Answer } from "./http/answer.ts";
import { create, createObject } from "./verbs/create.ts";
import { deleteCollection, deleteOne } from "./verbs/delete.ts";
import { expireEvents } from "./storage/event-expiry.ts";
import type { KubeletApi } from "./contract/kubelet-api.ts";
import { list } from "./verbs/list.ts";
import { mediaTypeOf, negotiate, wantsIndented } from "./http/negotiate.ts";
import { patch } from "./verbs/patch.ts";
import { PodPrecedents } from "./pods/precedent.ts";
import { Query } from "./contract/query.ts";
import { get } from "./verbs/get.ts";
import { render, write } from "./http/render.ts";
import { legacyResources } from "./discovery/resource-list.ts";
import { resources } from "./registry/resources.ts";
import { RoutedRequest } from "./http/routed-request.ts";
import { resolve, type Route, type Target, verbOf } from "./http/router.ts";
import { ApiError, bodyTooLarge, failure, methodNotAllowed, unsupportedBody } from "./contract/status-errors.ts";
import { type EventType, type PackName, Revisions, Store, type Stored } from "./storage/store.ts";
import { initialNamespaces } from "./strategies/namespaces.ts";
import { byteLength } from "../values/text.ts";
import { update } from "./verbs/update.ts";
import { Warnings } from "./contract/warnings.ts";
import type { UnknownFields } from "./schema/new-fields.ts";
import type { ServedVersion } from "../values/kubernetes-versions.ts";
import { type StreamBody, watch } from "./verbs/watch.ts";

/** A watch or a followed log. It begins with `subscribe`, which may be called once. */
export interface StreamingResponse {
  readonly status: 200;
  /** Header names in lower case; several values of one name as a list. */
  readonly headers: ApiResponse["headers"];
  /**
   * Delivers existing lines at once, and later each new line synchronously. A sink must not send a request from within
   * `data`. Call the result to close the stream; after that, `end` is not called.
   */
  subscribe(sink: StreamBody): () => void;
}

/** One write, by reference: the objects must not be changed. */
export interface Write<T extends TypedObject = KubeObject> {
  /** The plural under which the object is stored: "jobs", "pods", "nodes". Events of both API groups are "events". */
  readonly resource: string;
  readonly type: EventType;
  /** The object after the write, in the stored API version; for DELETED its last state, with the new revision. */
  readonly object: T;
  /** Gives the object on each read. An observer that keeps it for long keeps this: it gets smaller than the object. */
  readonly stored: { readonly object: T };
  readonly previous: T | undefined;
  readonly revision: number;
}

/** A write whose objects are built lazily, on first read. */
export class ObservedWrite implements Write {
  readonly resource: string;
  readonly type: EventType;
  readonly revision: number;
  readonly stored: Stored;
  readonly #before: Stored | undefined;

  constructor(resource: string, type: EventType, revision: number, stored: Stored, before: Stored | undefined) {
    this.resource = resource;
    this.type = type;
    this.revision = revision;
    this.stored = stored;
    this.#before = before;
  }

  get object(): KubeObject {
    return this.stored.object;
  }

  get previous(): KubeObject | undefined {
    return this.#before?.object;
  }
}

export interface ApiServerOptions {
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly admission: Admission;
  readonly limits: Limits;
  readonly assignsServiceAccount: boolean;
  readonly gangScheduling: boolean;
  readonly kubernetes: ServedVersion;
  readonly unknownFields: UnknownFields | undefined;
  /** Served beyond those of registry/resources.ts. */
  readonly moreResources: readonly ResourceDefinition[];
  /** See ServerContext. */
  readonly fieldOwners: FieldOwners | undefined;
  /** See ServerContext. */
  readonly plugins: AdmissionPlugins | undefined;
  /** See ServerContext. */
  readonly clientSupport: ClientSupport | undefined;
  /** See Authorize. Undefined: every user may do everything. */
  readonly authorize: Authorize | undefined;
}

/** Objects that come by the thousand and are rarely read again: events, and ended pods that no finalizer holds. */
const packNames: Readonly<Record<string, PackName>> = {
  pods: ({ metadata, status }) =>
    metadata.finalizers === undefined && (status?.phase === "Succeeded" || status?.phase === "Failed")
      ? status.phase
      : undefined,
  events: ({ reason }) => String(reason),
};

const operations: Readonly<Record<Exclude<Verb, "watch">, (request: ResourceRequest) => Outcome>> = {
  create,
  get,
  list,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

export class ApiServer implements ServerContext {
  readonly clock: Clock;
  readonly random: () => number;
  readonly admission: Admission;
  readonly limits: Limits;
  readonly assignsServiceAccount: boolean;
  readonly gangScheduling: boolean;
  readonly kubernetes: ServedVersion;
  readonly unknownFields: UnknownFields | undefined;
  readonly revisions = new Revisions();
  readonly podPrecedents = new PodPrecedents();
  /** A new list with every change. */
  definitions: readonly ResourceDefinition[] = [];
  quotas: Quotas | undefined;
  readonly fieldOwners: FieldOwners | undefined;
  readonly plugins: AdmissionPlugins | undefined = undefined;
  readonly clientSupport: ClientSupport | undefined;
  readonly #authorize: Authorize | undefined;
  readonly #stores = new Map<string, Store>();
  readonly #kubelets = new Map<string, KubeletApi>();
  readonly #observers = new Set<(write: ObservedWrite) => void>();
  #openStreams = 0;

  constructor(options: ApiServerOptions) {
    const { clock, random, admission, limits, assignsServiceAccount, gangScheduling, moreResources } = options;
    this.clock = clock;
    this.random = random;
    this.admission = admission;
    this.limits = limits;
    this.assignsServiceAccount = assignsServiceAccount;
    this.gangScheduling = gangScheduling;
    this.kubernetes = options.kubernetes;
    this.unknownFields = options.unknownFields;
    this.fieldOwners = options.fieldOwners;
    this.clientSupport = options.clientSupport;
    this.#authorize = options.authorize;
    this.serve([...resources, ...moreResources]);
    expireEvents(this.#stores.get("events")!, clock, limits.eventTtlMs, limits.maxEvents);
    for (const name of initialNamespaces) this.#createNamespace(name);
    this.plugins = options.plugins;
  }

  /** Starts to serve these, too. Objects stored under the same name stay. */
  serve(definitions: readonly ResourceDefinition[]): void {
    this.definitions = [...this.definitions, ...definitions];
    for (const { storage } of definitions) {
      if (this.#stores.has(storage)) continue;
      const store = new Store(
        this.revisions,
        this.limits.maxHistoryEvents,
        packNames[storage],
        this.fieldOwners?.takeApart,
      );
      store.subscribe(({ type, revision, stored, previous }) => {
        for (const observe of this.#observers) observe(new ObservedWrite(storage, type, revision, stored, previous));
      });
      this.#stores.set(storage, store);
    }
  }

  /** Stops serving these. Their objects stay in the store. */
  withdraw(definitions: readonly ResourceDefinition[]): void {
    this.definitions = this.definitions.filter((definition) => !definitions.includes(definition));
  }

  store<Kind extends TypedObject>(definition: ResourceDefinition<Kind>): StoreFor<Kind> {
    return this.#stores.get(definition.storage) as StoreFor<Kind>;
  }

  definition(group: string, resource: string): ResourceDefinition<any> {
    const definition = this.definitions.find((other) => other.group === group && other.resource === resource);
    if (!definition)
      throw new Error(
        `no resource "${resource}" in group "${group}": cluster/apiserver/registry/resources.ts lists what is served`,
      );
    return definition;
  }

  kubelet(nodeName: string): KubeletApi | undefined {
    return this.#kubelets.get(nodeName);
  }

  registerKubelet(nodeName: string, kubelet: KubeletApi): void {
    this.#kubelets.set(nodeName, kubelet);
  }

  /** Calls the listener inside every write of any resource. Call the result to end that. */
  observe(listener: (write: ObservedWrite) => void): () => void {
    this.#observers.add(listener);
    return () => this.#observers.delete(listener);
  }

  openStream(): () => void {
    this.#openStreams++;
    return () => this.#openStreams--;
  }

  handle(request: ServerRequest): ApiResponse | StreamingResponse {
    const warnings = new Warnings();
    const mark = request.path.indexOf("?");
    const path = mark < 0 ? request.path : request.path.slice(0, mark);
    const query = new Query(mark < 0 ? "" : request.path.slice(mark + 1));
    const isIndented = wantsIndented(query.text("pretty"), request.headers["user-agent"] ?? "");
    const answer = new Answer(this.random, warnings, request.content !== undefined);
    try {
      const admitted = this.#authorize?.(request, this) ?? request;
      if (path.startsWith("/api/") || path.startsWith("/apis/") || path === "/api" || path === "/apis")
        return this.#handleApi(admitted, resolve(path, this.definitions), query, isIndented, answer);
      return answer.document(this.clientSupport?.otherDocument(path, request, this));
    } catch (error) {
      if (error instanceof ApiError) return answer.error(error, isIndented);
      throw error;
    }
  }

  #handleApi(
    request: ServerRequest,
    target: Target,
    query: Query,
    isIndented: boolean,
    answer: Answer,
  ): ApiResponse | StreamingResponse {
    switch (target.kind) {
      case "nothing":
        return answer.notFoundPage();
      case "discovery":
        if (request.method !== "GET") throw methodNotAllowed();
        return answer.document(this.#discovery(target, request, isIndented));
      case "resource":
        return this.#handleResource(request, target.route, query, isIndented, answer);
    }
  }

  #discovery(
    { group, version }: Target & { kind: "discovery" },
    request: ServerRequest,
    isIndented: boolean,
  ): Document | undefined {
    if (group === undefined || version === undefined)
      return this.clientSupport?.groupsDocument(group, request, this.definitions, isIndented);
    const body = write(legacyResources(this.definitions, group, version), isIndented);
    return { code: 200, body, headers: { "content-type": "application/json" } };
  }

  #handleResource(
    request: ServerRequest,
    route: Route,
    query: Query,
    isIndented: boolean,
    answer: Answer,
  ): ApiResponse | StreamingResponse {
    const verb = verbOf(request.method, route, query.boolean("watch"));
    answer.warnings.add(route.definition.deprecation ?? "");
    if (request.content === undefined && byteLength(request.body ?? "") > this.limits.maxBodyBytes)
      throw bodyTooLarge(this.limits.maxBodyBytes);
    if (verb === "create" || verb === "update") checkMediaType(request);
    const resourceRequest = new RoutedRequest(this, request, route, query, answer.warnings);
    answer.warnings.add(route.definition.warning ?? "");
    if (route.subresource?.name === "log") return this.#log(resourceRequest, query.boolean("follow"), answer);
    const output = negotiate(request.headers["accept"] ?? "", isIndented, verb, this.clientSupport);
    try {
      if (verb === "watch") return this.#stream("application/json", watch(resourceRequest, output), answer);
      const outcome = this.#operate(verb, resourceRequest);
      const rendered = answer.ok(outcome.code, render(outcome, output, resourceRequest), {
        "content-type": output.mediaType,
      });
      return output.transform ? rendered : Object.assign(rendered, { outcome, of: route.definition.body });
    } catch (error) {
      throw error instanceof ApiError && output.indentsErrors ? new ApiError(error.status, true) : error;
    }
  }

  #operate(verb: Exclude<Verb, "watch">, request: ResourceRequest): Outcome {
    const { subresource, definition } = request;
    const special = verb === "create" ? (subresource ?? definition).create : undefined;
    return subresource?.handle?.(verb, request) ?? (special ?? operations[verb])(request);
  }

  #stream(mediaType: string, start: (sink: StreamBody) => () => void, answer: Answer): StreamingResponse {
    const { maxStreams } = this.limits;
    if (this.#openStreams >= maxStreams) {
      throw failure({
        code: 429,
        reason: "TooManyRequests",
        message: `${this.#openStreams} streams are open, which is the limit of this server; close one and try again`,
        details: { retryAfterSeconds: 1 },
      });
    }
    return { status: 200, headers: answer.headers({ "content-type": mediaType }), subscribe: start };
  }

  #log(request: ResourceRequest, isFollowed: boolean, answer: Answer): ApiResponse | StreamingResponse {
    const { clientSupport } = this;
    if (clientSupport === undefined) return answer.notFoundPage();
    const log = clientSupport.readLog(request);
    if (!log) return answer.ok(204, "", {});
    answer.warnings.add(log.warning ?? "");
    if (isFollowed) return this.#stream("text/plain", (sink) => clientSupport.followLog(log, sink, this), answer);
    return answer.ok(200, clientSupport.wholeLog(log), { "content-type": "text/plain" });
  }

  #createNamespace(name: string): void {
    const definition = this.definition("", "namespaces");
    const namespace = { kind: "Namespace", apiVersion: "v1", metadata: { name } } as KubeObject;
    createObject(
      namespace,
      {
        server: this,
        definition,
        subresource: undefined,
        namespace: "",
        name: "",
        query: new Query(""),
        headers: { "user-agent": "kube-apiserver" },
        body: "",
        content: undefined,
        isWritten: false,
        omitsOwners: false,
        warnings: new Warnings(),
        user: undefined,
        reviewAnswers: undefined,
      },
      false,
    );
  }
}

function checkMediaType(request: ApiRequest): void {
  const mediaType = mediaTypeOf(request.headers["content-type"] ?? "application/json");
  if (mediaType !== "application/json" && mediaType !== "") throw unsupportedBody(mediaType);
}
