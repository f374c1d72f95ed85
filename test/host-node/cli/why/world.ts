/**
 * An API server in memory, whose clock the test moves, and on which nothing runs: the test writes the objects that
 * `stint why` reads, as their controllers write them.
 */
import { expect } from "vitest";
import type { Engine } from "../../../../bindings/js/engine.ts";
import type { ApiResponse } from "../../../../bindings/js/host.ts";
import { trackFields } from "../../../../cluster/apiserver/apply/tracking.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { Cluster } from "../../../../cluster/cluster.ts";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import type { Asked } from "../../../../host-node/cli/doctor/cluster-reader.ts";
import { type TextContext, textContext } from "../../../../host-node/cli/why/told.ts";
import type { AskAccount } from "../../../../cluster/observed/ask-account.ts";
import { accountBy } from "../../../../cluster/observed/offline-engine.ts";
import { styleFor } from "../../../../host-node/words/style.ts";

export const MINUTE = 60_000;
export const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
export const JOBS = "/apis/batch/v1/namespaces/default/jobs";
export const PODS = "/api/v1/namespaces/default/pods";
export const EVENTS = "/api/v1/namespaces/default/events";
export const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } };

const waiting = { reason: "ImagePullBackOff", message: "manifest unknown" };
/** The status of a pod whose image cannot be pulled, of one that runs, and of one that has failed. */
export const PULLING = { phase: "Pending", containerStatuses: [{ name: "main", state: { waiting } }] };
export const RUNNING = { phase: "Running", containerStatuses: [{ name: "main", state: { running: {} } }] };
const terminated = { exitCode: 3, reason: "Error", finishedAt: "2026-03-02T10:00:05Z" };
export const FAILED = { phase: "Failed", containerStatuses: [{ name: "main", state: { terminated } }] };

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export class World {
  readonly clock = new VirtualClock(Date.parse("2026-03-02T10:00:00Z"));
  readonly cluster: Cluster;
  readonly account: AskAccount;

  constructor(engine: Engine) {
    let seed = 1;
    this.cluster = new Cluster({
      clock: this.clock,
      random: () => (seed = (seed * 16807) % 2147483647) / 2147483647,
      admission: (review) => engine.review(review),
      assignsServiceAccount: false,
      moreResources,
      fieldOwners: trackFields,
    });
    this.account = accountBy(engine, () => this.clock.now());
  }

  send(method: Method, path: string, body: object, userAgent?: string): KubeObject {
    const answer = this.#ask(method, path, body, userAgent);
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${String(answer.body)}`);
    return JSON.parse(String(answer.body)) as KubeObject;
  }

  /** @param forbidden how the paths end that may not be read */
  reader(...forbidden: readonly string[]): Asked {
    return {
      origin: "https://server",
      now: () => this.clock.now(),
      get: async (path) =>
        forbidden.some((part) => path.split("?")[0]!.endsWith(part))
          ? { status: 403, headers: {}, body: JSON.stringify({ kind: "Status", message: "not for you" }) }
          : this.#ask("GET", path),
      dryRun: async () => expect.fail("it only reads"),
    };
  }

  /** Without a terminal. */
  get context(): TextContext {
    const options = { clusterOptions: " --context prod", kubectlOptions: " --context prod" };
    return textContext({ nowMs: this.clock.now(), style: styleFor(false, {}), columns: undefined, ...options });
  }

  /** As objects have it. */
  get time(): string {
    return new Date(this.clock.now()).toISOString().replace(".000", "");
  }

  /** A pod of a Job, as its controller makes it. */
  pod({ metadata: { name: job, uid } }: KubeObject, name: string, status: object): KubeObject {
    const owner = { apiVersion: "batch/v1", kind: "Job", name: job, uid, controller: true };
    const labels = { "batch.kubernetes.io/controller-uid": uid };
    const spec = { ...template.spec, nodeName: "node-1" };
    this.send("POST", PODS, { metadata: { name, labels, ownerReferences: [owner] }, spec });
    return this.send("PATCH", `${PODS}/${name}/status`, { status });
  }

  /** The status of a Job that ends now. */
  failed(): object {
    const reasons = { reason: "BackoffLimitExceeded", message: "too many" };
    return { conditions: this.#end("FailureTarget", "Failed", reasons), failed: 1, active: 0 };
  }

  complete(): object {
    const conditions = this.#end("SuccessCriteriaMet", "Complete", { reason: "CompletionsReached" });
    return { conditions, succeeded: 1, active: 0, completionTime: this.time };
  }

  #end(...[first, second, reasons]: [string, string, object]): object[] {
    return [first, second].map((type) => ({ type, status: "True", ...reasons, lastTransitionTime: this.time }));
  }

  #ask(method: Method, path: string, body?: object, userAgent = "kubectl-create"): ApiResponse {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = this.cluster.handle({
      method,
      path,
      headers: { accept: "application/json", "content-type": type, "user-agent": userAgent },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!("body" in answer)) throw new Error("a stream");
    return answer;
  }
}
