/**
 * A virtual clock, an in-memory cluster and whichever components a test asks for, with a transport between them that
 * fails on request. The tests of scheduler, kubelet, garbage collector and namespace controller share it.
 */
import type { AdmissionPlugins } from "../../cluster/apiserver/contract/context.ts";
import { moreResources } from "../../cluster/apiserver/registry/more-resources.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { ApiRequest, ApiResponse, StreamSink, Transport } from "../../bindings/js/host.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { Cluster } from "../../cluster/cluster.ts";
import { Kubelet } from "../../cluster/kubelet/kubelet.ts";
import type { KubeletOptions } from "../../cluster/kubelet/kubelet.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import type { SimulationRule } from "../../cluster/kubelet/simulated-runtime.ts";
import { Scheduler } from "../../cluster/scheduler/scheduler.ts";
import { fakeAdmission } from "./fake-admission.ts";
import { checkWritten } from "./written-content.ts";

export const START_MS = Date.UTC(2026, 0, 1);

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * What happens to a request: an answer in its place, `lost` (it is carried out, the answer is lost), or undefined:
 * nothing.
 */
export type Fault = (request: ApiRequest) => ApiResponse | "lost" | undefined;

export function failure(status: number, reason: string, message = "injected"): ApiResponse {
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message, code: status };
  return { status, headers: {}, body: JSON.stringify(body) };
}

export class Harness {
  readonly clock = new VirtualClock(START_MS);
  readonly random = seeded(1);
  readonly cluster: Cluster;
  /** Every request that went through `transport`. */
  readonly requests: ApiRequest[] = [];
  fault: Fault = () => undefined;
  readonly #streams = new Map<StreamSink, { request: ApiRequest; close: () => void }>();

  constructor({
    gangScheduling = false,
    plugins,
  }: { gangScheduling?: boolean; plugins?: AdmissionPlugins | undefined } = {}) {
    this.cluster = new Cluster({
      clock: this.clock,
      random: seeded(2),
      admission: fakeAdmission,
      gangScheduling,
      moreResources,
      plugins,
    });
  }

  /** The cluster's transport with faults. */
  readonly transport: Transport = {
    send: (request, done) => {
      this.requests.push(request);
      checkWritten(request);
      const fault = this.fault(request);
      const lost: ApiResponse = { status: 0, headers: {}, body: "" };
      if (fault === "lost") this.cluster.transport.send(request, () => done(lost));
      else if (fault !== undefined) this.clock.defer(() => done(fault));
      else this.cluster.transport.send(request, done);
    },
    stream: (request, sink) => {
      this.requests.push(request);
      const forget = (): void => void this.#streams.delete(sink);
      const close = this.cluster.transport.stream(request, {
        ...sink,
        open: sink.open,
        data: sink.data,
        end: (error) => (forget(), sink.end(error)),
      });
      this.#streams.set(sink, { request, close });
      return () => {
        forget();
        close();
      };
    },
  };

  /** Breaks the open streams whose path contains `part`. */
  breakStreams(part: string, error?: ApiResponse): number {
    const broken = [...this.#streams].filter(([, { request }]) => request.path.includes(part));
    for (const [sink, { close }] of broken) {
      this.#streams.delete(sink);
      close();
      sink.end(error ?? { status: 0, headers: {}, body: "" });
    }
    return broken.length;
  }

  /** One request of the test itself, past the faults. @throws Error for an answer that is no success. */
  api(method: ApiRequest["method"], path: string, body?: object, contentType = "application/json"): any {
    const { status, body: text } = this.answer(method, path, body, contentType);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  answer(
    method: ApiRequest["method"],
    path: string,
    body?: object,
    contentType = "application/json",
  ): { status: number; body: string } {
    const headers = {
      accept: "application/json",
      "user-agent": "test",
      ...(body ? { "content-type": contentType } : {}),
    };
    const response = this.cluster.handle({ method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!("body" in response)) throw new Error(`${method} ${path} answers with a stream`);
    return { status: response.status, body: String(response.body) };
  }

  /** Text of a log as far as it has come. */
  follow(path: string): { text: string; ended: boolean } {
    const seen = { text: "", ended: false };
    this.cluster.transport.stream(
      { method: "GET", path, headers: {} },
      {
        open: () => {},
        data: (chunk) => void (seen.text += textOf(chunk)),
        end: (answer) => {
          // A log that is not followed comes as one answer.
          if (answer !== undefined) seen.text += textOf(answer.body);
          seen.ended = true;
        },
      },
    );
    return seen;
  }

  startKubelet(
    nodeName: string,
    rules: readonly SimulationRule[] = [],
    options: Partial<KubeletOptions> = {},
  ): Kubelet {
    const { clock, random, transport } = this;
    const runtime = new SimulatedRuntime({ clock, random, rules });
    const kubelet = new Kubelet({ clock, random, transport, runtime, nodeName, ...options });
    this.cluster.registerKubelet(nodeName, kubelet);
    kubelet.start();
    this.clock.advance(0);
    return kubelet;
  }

  startScheduler(): Scheduler {
    const scheduler = new Scheduler({
      clock: this.clock,
      random: this.random,
      transport: this.transport,
      gangScheduling: this.cluster.gangScheduling,
    });
    scheduler.start();
    this.clock.advance(0);
    return scheduler;
  }

  /** Creates a pod in `default`; `spec` is laid over one container `c` on node n1. */
  createPod(name: string, spec: object = {}, metadata: object = {}): any {
    const pod = {
      metadata: { name, ...metadata },
      spec: { nodeName: "n1", restartPolicy: "Never", containers: [{ name: "c", image: "busybox:1" }], ...spec },
    };
    return this.api("POST", "/api/v1/namespaces/default/pods", pod);
  }

  pod(name: string): any {
    const { status, body } = this.answer("GET", `/api/v1/namespaces/default/pods/${name}`);
    return status === 404 ? undefined : JSON.parse(body);
  }

  /** Events about an object as `Type Reason: message (xcount)`, in order of creation. */
  events(name: string): string[] {
    const { items } = this.api("GET", `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${name}`);
    return items
      .map(({ type, reason, message, count }: any) => `${type} ${reason}: ${message}${count > 1 ? ` (x${count})` : ""}`)
      .sort();
  }

  /** What the Events about an object name besides. */
  relatedOf(name: string): any[] {
    const { items } = this.api("GET", `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${name}`);
    return items.map(({ related }: any) => related);
  }

  /** Requests of one method whose path contains `part`. */
  sent(method: string, part: string): ApiRequest[] {
    return this.requests.filter((request) => request.method === method && request.path.includes(part));
  }
}
