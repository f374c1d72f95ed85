/**
 * Creates the ServiceAccount `default` in each namespace, and recreates it after a deletion. Source:
 * pkg/controller/serviceaccount.
 */
import { ApiClient, isRetryable, NAMESPACES, resourcePath, SERVICE_ACCOUNTS } from "../../client/client.ts";
import { Collections, type ControllerOptions } from "../../client/collections.ts";
import { DEFAULT_RETRY, type WorkOutcome, WorkQueue } from "../../client/work-queue.ts";

const NAME = "default";
const CONCURRENT_SYNCS = 1;

/** Works from `start` to `stop`. */
export class ServiceAccountController {
  readonly #options: ControllerOptions;
  readonly #client: ApiClient;
  readonly #known: Collections;
  /** Of the names of namespaces. */
  readonly #queue: WorkQueue<string>;

  constructor(options: ControllerOptions) {
    const { transport, clock, random } = options;
    this.#options = options;
    this.#client = new ApiClient(transport, { userAgent: "service-account-controller" });
    this.#queue = new WorkQueue({
      ...DEFAULT_RETRY,
      clock,
      random,
      concurrency: CONCURRENT_SYNCS,
      work: (namespace, done) => this.#sync(namespace, done),
    });
    this.#known = new Collections(this.#client, options, [NAMESPACES, SERVICE_ACCOUNTS], (resource, { metadata }) => {
      if (resource === NAMESPACES) this.#queue.add(metadata.name);
      else if (metadata.name === NAME) this.#queue.add(metadata.namespace!);
    });
  }

  start(): void {
    this.#known.start();
  }

  stop(): void {
    this.#known.stop();
    this.#queue.stop();
  }

  #sync(namespace: string, done: (outcome: WorkOutcome) => void): void {
    const isActive = this.#known.get(NAMESPACES, namespace)?.["status"]?.phase === "Active";
    if (!isActive || this.#known.get(SERVICE_ACCOUNTS, `${namespace}/${NAME}`)) {
      done("done");
      return;
    }
    const account = { metadata: { name: NAME, namespace } };
    this.#client.create(resourcePath(SERVICE_ACCOUNTS, namespace), account, (result) => {
      // Another client may have created it, and the namespace may be terminating.
      if (result.ok || result.error.reason === "AlreadyExists" || !isRetryable(result.error)) {
        done("done");
        return;
      }
      this.#options.onProblem?.(result.error);
      done("failed");
    });
  }
}
