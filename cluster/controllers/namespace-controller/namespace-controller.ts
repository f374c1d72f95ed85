/**
 * Empties namespaces that are being deleted, and then finalizes them (docs/spec/api.md 6.10).
 *
 * Invariant: pods are deleted first, and everything else only when no pod is left, so a pod never loses what it uses. A
 * namespace is finalized only after the list of every resource in it was empty. Source:
 * pkg/controller/namespace/deletion (OrderedNamespaceDeletion).
 */
import { ApiClient, isRetryable, NAMESPACES, resourcePath, withQuery } from "../../client/client.ts";
import type { ApiError, ApiResource, KubeList } from "../../client/client.ts";
import type { ControllerOptions } from "../../client/collections.ts";
import { Discovery } from "../../client/discovery.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { Reflector } from "../../client/reflector.ts";
import { WorkQueue } from "../../client/work-queue.ts";
import type { WorkOutcome } from "../../client/work-queue.ts";
import type { Namespace } from "../../values/kinds.ts";

/** Namespaces worked on at the same time. */
export const CONCURRENT_NAMESPACE_SYNCS = 10;
/** The delay until a namespace that still has content is checked again. */
export const CONTENT_REMAINS_DELAY_MS = 1_000;
const RETRY_INITIAL_MS = 100;
const RETRY_MAX_MS = 60_000;
const FINALIZER = "kubernetes";

type Done = (outcome: WorkOutcome) => void;

export class NamespaceController {
  readonly #options: ControllerOptions;
  readonly #client: ApiClient;
  readonly #discovery: Discovery;
  readonly #reflector: Reflector;
  readonly #queue: WorkQueue<string>;
  /** The namespaces that are being deleted, by name. */
  readonly #terminating = new Map<string, Namespace>();

  constructor(options: ControllerOptions) {
    const { transport, clock, random } = options;
    this.#options = options;
    this.#client = new ApiClient(transport, { userAgent: "namespace-controller" });
    this.#discovery = new Discovery(this.#client);
    this.#queue = new WorkQueue({
      clock,
      random,
      concurrency: CONCURRENT_NAMESPACE_SYNCS,
      retryInitialMs: RETRY_INITIAL_MS,
      retryMaxMs: RETRY_MAX_MS,
      work: (name, done) => this.#sync(name, done),
    });
    this.#reflector = new Reflector(
      { client: this.#client, clock, random, path: resourcePath(NAMESPACES) },
      {
        onSync: (namespaces) => {
          this.#terminating.clear();
          for (const namespace of namespaces) this.#seen(namespace);
        },
        onEvent: (type, namespace) => {
          if (type !== "DELETED") this.#seen(namespace);
          else this.#gone(namespace.metadata.name);
        },
        onProblem: (error) => options.onProblem?.(error),
      },
    );
  }

  start(): void {
    this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
    this.#queue.stop();
  }

  #seen(namespace: Namespace): void {
    if (namespace.metadata.deletionTimestamp === undefined) return;
    this.#terminating.set(namespace.metadata.name, namespace);
    this.#queue.add(namespace.metadata.name);
  }

  #gone(name: string): void {
    this.#terminating.delete(name);
    this.#queue.forget(name);
  }

  #sync(name: string, done: Done): void {
    const namespace = this.#terminating.get(name);
    const finalizers: string[] = namespace?.spec?.finalizers ?? [];
    if (namespace === undefined || !finalizers.includes(FINALIZER)) {
      done("done");
      return;
    }
    this.#discovery.all((result) => {
      if (!result.ok) {
        this.#failed(result.error, done);
        return;
      }
      const deletable = result.value.filter(
        ({ namespaced, verbs }) => namespaced && verbs.includes("list") && verbs.includes("deletecollection"),
      );
      const pods = deletable.filter(isPods);
      const others = deletable.filter((resource) => !isPods(resource));
      this.#empty(name, pods, done, () =>
        this.#empty(name, others, done, () => this.#finalize(namespace, finalizers, done)),
      );
    });
  }

  /** Deletes all objects of these resources in the namespace. `then` is called if nothing is left. */
  #empty(namespace: string, resources: readonly DiscoveredResource[], done: Done, then: () => void): void {
    let remains = false;
    const next = (index: number): void => {
      const resource = resources[index];
      if (resource === undefined) {
        if (remains) done({ againAfterMs: CONTENT_REMAINS_DELAY_MS });
        else then();
        return;
      }
      this.#emptyResource(namespace, resource, done, (isEmpty) => {
        remains ||= !isEmpty;
        next(index + 1);
      });
    };
    next(0);
  }

  #emptyResource(namespace: string, resource: ApiResource, done: Done, then: (isEmpty: boolean) => void): void {
    const path = resourcePath(resource, namespace);
    const look = (ifContent: () => void): void => {
      this.#client.list(withQuery(path, { limit: 1 }), (result) => {
        if (!result.ok) this.#failed(result.error, done);
        else if (isEmpty(result.value)) then(true);
        else ifContent();
      });
    };
    look(() => {
      this.#client.delete(path, { propagationPolicy: "Background" }, (result) => {
        if (!result.ok) this.#failed(result.error, done);
        else look(() => then(false));
      });
    });
  }

  #finalize(namespace: Namespace, finalizers: readonly string[], done: Done): void {
    const finalized = {
      ...namespace,
      spec: { ...namespace.spec, finalizers: finalizers.filter((name) => name !== FINALIZER) },
    };
    this.#client.update(
      resourcePath(NAMESPACES, undefined, namespace.metadata.name, "finalize"),
      finalized,
      (result) => {
        if (result.ok || result.error.status === 404) done("done");
        else this.#failed(result.error, done);
      },
    );
  }

  #failed(error: ApiError, done: Done): void {
    this.#options.onProblem?.(error);
    done(isRetryable(error) ? "failed" : "done");
  }
}

function isPods({ apiVersion, plural }: ApiResource): boolean {
  return apiVersion === "v1" && plural === "pods";
}

function isEmpty(list: KubeList): boolean {
  return list.items.length === 0;
}
