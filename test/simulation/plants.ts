/** Ways to plant a bug between a controller and its network: what canaries.ts builds its bugs from. */
import type { ApiRequest, ApiResponse, Transport } from "../../bindings/js/host.ts";
import type { JsonObject, KubeObject } from "../../cluster/values/types.ts";
import type { ControllerProcess, Plant } from "./controller-process.ts";
import { textOf } from "./faulty-transport.ts";

export type Send = Transport["send"];
type Done = (response: ApiResponse) => void;

const STRIP = '{"metadata":{"$deleteFromPrimitiveList/finalizers":[';

/** A transport that treats some requests differently. */
export function sending(
  change: (request: ApiRequest, done: Done, send: Send, process: ControllerProcess) => void,
): Plant {
  return {
    transport: (transport, process) => ({
      send: (request, done) => change(request, done, (changed, answered) => transport.send(changed, answered), process),
      stream: (request, sink) => transport.stream(request, sink),
    }),
  };
}

/** Status patches go out with another status. */
export function rewritingStatus(
  rewrite: (status: JsonObject, process: ControllerProcess, jobUid: string) => JsonObject,
): Plant {
  return sending((request, done, send, process) => {
    if (!isStatusPatch(request)) return send(request, done);
    const patch = JSON.parse(bodyOf(request)) as { metadata: { uid: string }; status: JsonObject };
    send(
      { ...request, body: JSON.stringify({ ...patch, status: rewrite(patch.status, process, patch.metadata.uid) }) },
      done,
    );
  });
}

/** Pods are created otherwise than they should be. */
export function rewritingPods(rewrite: (pod: KubeObject) => KubeObject): Plant {
  return sending((request, done, send) =>
    send(
      isCreation(request)
        ? { ...request, body: JSON.stringify(rewrite(JSON.parse(bodyOf(request)) as KubeObject)) }
        : request,
      done,
    ),
  );
}

/** Something more is sent once a request has been answered with success. */
export function afterwards(
  isCause: (request: ApiRequest) => boolean,
  act: (request: ApiRequest, answer: KubeObject, send: Send, process: ControllerProcess) => void,
): Plant {
  return sending((request, done, send, process) => {
    send(request, (answer) => {
      if (isCause(request) && answer.status >= 200 && answer.status < 300)
        act(request, JSON.parse(textOf(answer.body)) as KubeObject, send, process);
      done(answer);
    });
  });
}

/** The text of every watch of this path goes through `rewrite`. */
export function rewritingWatch(path: string, rewrite: (text: string) => string): Plant {
  return {
    transport: (transport) => ({
      send: (request, done) => transport.send(request, done),
      stream: (request, sink) =>
        transport.stream(request, {
          open: (response) => sink.open(response),
          data: (chunk) => sink.data(request.path.startsWith(path) ? rewrite(textOf(chunk)) : chunk),
          end: (error) => sink.end(error),
        }),
    }),
  };
}

/** The request that removes a pod's finalizer. */
export function stripOf(podPath: string, { headers }: ApiRequest, { role }: ControllerProcess): ApiRequest {
  return {
    method: "PATCH",
    path: podPath,
    headers: { ...headers, "content-type": "application/strategic-merge-patch+json" },
    body: `${STRIP}"${role.finalizer}"]}}`,
  };
}

export function isStrip(request: ApiRequest): boolean {
  return request.method === "PATCH" && bodyOf(request).startsWith(STRIP);
}

export function isStatusPatch({ method, path }: ApiRequest): boolean {
  return method === "PATCH" && path.endsWith("/status");
}

export function isCreation({ method, path }: ApiRequest): boolean {
  return method === "POST" && path.endsWith("/pods");
}

/** The request that makes a pod a Job's. */
export function isAdoption(request: ApiRequest): boolean {
  return request.method === "PATCH" && bodyOf(request).startsWith('{"metadata":{"ownerReferences":[');
}

/** Of a Workload or a PodGroup. */
export function isGangCreation({ method, path }: ApiRequest): boolean {
  return method === "POST" && /\/(workloads|podgroups)$/.test(path);
}

/** Of the size of a Workload or a PodGroup. */
export function isGangPatch({ method, path }: ApiRequest): boolean {
  return method === "PATCH" && /\/(workloads|podgroups)\/[^/]+$/.test(path);
}

/** Of a Job. */
export function isRead({ method, path }: ApiRequest): boolean {
  return method === "GET" && /\/jobs\/[^/?]+$/.test(path);
}

export function isEvent({ method, path }: ApiRequest): boolean {
  return method === "POST" && path.endsWith("/events");
}

export function bodyOf({ body }: ApiRequest): string {
  return textOf(body ?? "");
}
