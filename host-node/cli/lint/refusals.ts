/**
 * What the API server would refuse of Jobs: each is created in a cluster in memory, as a dry run. So the words are
 * those of `stint run`. Leaves out what depends on other objects: quotas, names that are taken.
 */
import type { Engine } from "../../../bindings/js/engine.ts";
import { JOBS, NAMESPACES, resourcePath, withQuery } from "../../../cluster/client.ts";
import { VirtualClock } from "../../../cluster/clock.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { textOf } from "../../../cluster/apiserver/text.ts";
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import { statusDiagnostics } from "../../../cluster/manifests/status-diagnostics.ts";
import type { LintTarget } from "./targets.ts";

/** A Job of a CronJob gets its name later. What is wrong with that, lint says. */
const ANY_NAME = "job";

export class Refusals {
  readonly #cluster: Cluster;

  constructor(engine: Engine) {
    this.#cluster = new Cluster({
      clock: new VirtualClock(0),
      random: () => 0.5,
      admission: (review) => engine.review(review),
    });
  }

  /** What is wrong with a Job, each with its place in the file. */
  of(target: LintTarget): Diagnostic[] {
    const { manifest, job, namespace, fieldOf } = target;
    const isOwn = job === manifest.object;
    this.#create(resourcePath(NAMESPACES), { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, {});
    const body = isOwn ? job : { ...job, metadata: { ...job["metadata"], name: ANY_NAME } };
    const { status, text } = this.#create(resourcePath(JOBS, namespace), body, {
      ...{ dryRun: "All", fieldManager: "stint", fieldValidation: "Strict" },
    });
    if (status === 201) return [];
    const place = {
      ...manifest,
      object: job as typeof manifest.object,
      valueAt: (path: string) => manifest.valueAt(path === "" ? "" : fieldOf(path)),
      nameAt: (path: string) => manifest.nameAt(path === "" ? "" : fieldOf(path)),
      firstAt: (path: string, isMeant: (value: unknown) => boolean) => manifest.firstAt(fieldOf(path), isMeant),
    };
    return statusDiagnostics(place, text);
  }

  #create(path: string, object: object, query: Record<string, string>): { status: number; text: string } {
    const response = this.#cluster.handle({
      method: "POST",
      path: withQuery(path, query),
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "stint" },
      body: JSON.stringify(object),
    });
    if (!("body" in response)) throw new Error(`the answer to a POST of ${path} is a stream`);
    return { status: response.status, text: textOf(response.body) };
  }
}
