/** A cluster on a virtual clock with short ways to send it requests. */
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { Cluster, type ClusterOptions, type KubeObject, type StreamingResponse } from "../../../cluster/index.ts";
import type { ApiResponse, Method } from "../../../bindings/js/host.ts";
import { fakeAdmission } from "../fake-admission.ts";

export interface Answer {
  readonly status: number;
  readonly headers: ApiResponse["headers"];
  readonly text: string;
  /** The parsed body; undefined if it is empty. */
  readonly body: any;
}

export interface Lines {
  /** The parsed lines so far. */
  readonly events: { readonly type: string; readonly object: any }[];
  text(): string;
  hasEnded(): boolean;
  close(): void;
}

export const start = Date.parse("2026-11-21T09:48:50Z");

/** Numbers in [0, 1) that look random and are the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

export class Harness {
  readonly clock = new VirtualClock(start);
  readonly cluster: Cluster;

  constructor(options: Partial<ClusterOptions> = {}) {
    this.cluster = new Cluster({ clock: this.clock, random: seededRandom(7), admission: fakeAdmission, ...options });
  }

  send(method: Method, path: string, body?: unknown, headers: Record<string, string> = {}): Answer {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const response = this.cluster.handle({ method, path, headers, ...(text !== undefined && { body: text }) });
    if (!("body" in response)) throw new Error(`${method} ${path} answered a stream`);
    const answered = String(response.body);
    const isJson = String(response.headers["content-type"]).startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text: answered,
      body: isJson && answered !== "" ? JSON.parse(answered) : undefined,
    };
  }

  get(path: string, accept?: string): Answer {
    return this.send("GET", path, undefined, accept === undefined ? {} : { accept });
  }

  post(path: string, body: unknown): Answer {
    return this.send("POST", path, body);
  }

  put(path: string, body: unknown): Answer {
    return this.send("PUT", path, body);
  }

  merge(path: string, body: unknown): Answer {
    return this.send("PATCH", path, body, { "content-type": "application/merge-patch+json" });
  }

  strategic(path: string, body: unknown): Answer {
    return this.send("PATCH", path, body, { "content-type": "application/strategic-merge-patch+json" });
  }

  jsonPatch(path: string, body: unknown): Answer {
    return this.send("PATCH", path, body, { "content-type": "application/json-patch+json" });
  }

  delete(path: string, body?: unknown): Answer {
    return this.send("DELETE", path, body);
  }

  stream(path: string, accept?: string): Lines {
    const response = this.cluster.handle({ method: "GET", path, headers: accept === undefined ? {} : { accept } });
    if ("body" in response) throw new Error(`GET ${path} answered ${response.status}: ${response.body}`);
    return collect(response);
  }

  namespace(name: string): void {
    this.post("/api/v1/namespaces", { metadata: { name } });
  }
}

function collect(response: StreamingResponse): Lines {
  let text = "";
  let hasEnded = false;
  const close = response.subscribe({
    data: (chunk) => {
      text += String(chunk);
    },
    end: () => {
      hasEnded = true;
    },
  });
  return {
    get events() {
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    },
    text: () => text,
    hasEnded: () => hasEnded,
    close,
  };
}

export const jobs = "/apis/batch/v1/namespaces/default/jobs";
export const pods = "/api/v1/namespaces/default/pods";
export const configMaps = "/api/v1/namespaces/default/configmaps";

/** A suspended Job, as small as it may be. */
export function job(name: string, spec: object = {}, metadata: object = {}): Partial<KubeObject> {
  const template = { spec: { containers: [{ name: "c", image: "busybox" }], restartPolicy: "Never" } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, ...metadata } as KubeObject["metadata"],
    spec: { template, suspend: true, ...spec },
  };
}

export function pod(name: string, spec: object = {}, metadata: object = {}): Partial<KubeObject> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata } as KubeObject["metadata"],
    spec: { containers: [{ name: "c", image: "busybox" }], ...spec },
  };
}

export function configMap(name: string, metadata: object = {}, data?: Record<string, string>): Partial<KubeObject> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...metadata } as KubeObject["metadata"],
    ...(data && { data }),
  };
}
