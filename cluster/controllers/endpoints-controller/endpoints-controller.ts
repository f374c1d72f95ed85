/**
 * Keeps the Endpoints and EndpointSlices of Services that select pods, and removes the Endpoints with their Service;
 * the garbage collector removes the slices.
 *
 * Invariant: one pass over a Service makes at most one write; the watch brings the next pass. Endpoints and slices of
 * others stay as they are. Leaves out IPv6, zones and hints, the time of the last change, the limit of 1,000 addresses
 * of an Endpoints object, and slices that mirror Endpoints. Source: pkg/controller/endpoint,
 * pkg/controller/endpointslice.
 */
import { deepEqual } from "../../values/json.ts";
import {
  type ApiResource,
  ENDPOINT_SLICES,
  ENDPOINTS,
  PODS,
  resourcePath,
  SERVICES,
  type WriteResult,
} from "../../client/client.ts";
import { collectionKey, type ControllerOptions } from "../../client/collections.ts";
import type { Part } from "../../client/part.ts";
import { matchesLabels } from "../../values/label-selector.ts";
import type { EndpointSlice, Endpoints, Pod, Service } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { type ControllerTools, type Done, keyedController, type KeyedWork } from "../keyed-controller.ts";
import { ENDPOINTS_MANAGER, endpointsOf, SERVICE_NAME, SLICE_MANAGER, slicesOf } from "./service-endpoints.ts";

const SETTINGS = {
  userAgent: "endpoints-controller",
  watched: [SERVICES, PODS, ENDPOINTS, ENDPOINT_SLICES],
  concurrency: 5,
};
/** After a conflict there is a newer state, which the watch delivers. The namespace may be terminating. */
const EXPECTED = [403, 404, 409];

/** Its keys are Services, `namespace/name`. */
export function endpointsController(options: ControllerOptions): Part {
  return keyedController(options, SETTINGS, (tools) => new EndpointsSync(tools));
}

class EndpointsSync implements KeyedWork {
  readonly #tools: ControllerTools;

  constructor(tools: ControllerTools) {
    this.#tools = tools;
  }

  changed(resource: ApiResource, object: TypedObject): void {
    const { namespace, labels } = object.metadata;
    const { queue } = this.#tools;
    if (resource === PODS) this.#disturbed(object as Pod);
    else if (resource !== ENDPOINT_SLICES) queue.add(collectionKey(object));
    else if (labels?.[SERVICE_NAME] !== undefined) queue.add(`${namespace}/${labels[SERVICE_NAME]}`);
  }

  /** Labels change, so every Service that selects the pod, or still lists it, is synced. */
  #disturbed(pod: Pod): void {
    const { namespace, uid } = pod.metadata;
    const lists = ({ endpoints }: Record<string, any>): boolean =>
      (endpoints ?? []).some(({ targetRef }: any) => targetRef?.uid === uid);
    for (const service of this.#tools.known.list(SERVICES, namespace))
      if (selects(service, pod) || this.#slicesOf(service).some(lists)) this.#tools.queue.add(collectionKey(service));
  }

  sync(key: string, done: Done): void {
    const service = this.#tools.known.get(SERVICES, key);
    const endpoints = this.#tools.known.get(ENDPOINTS, key);
    if (service === undefined) {
      if (endpoints && matchesLabels({ matchLabels: ENDPOINTS_MANAGER }, endpoints.metadata.labels))
        this.#delete(ENDPOINTS, endpoints, done);
      else done("done");
      return;
    }
    if (service.metadata.deletionTimestamp || !selectsPods(service)) {
      done("done");
      return;
    }
    const { namespace } = service.metadata;
    const pods = this.#tools.known.list(PODS, namespace).filter((pod) => selects(service, pod));
    if (!this.#writeEndpoints(service, pods, endpoints, done) && !this.#writeSlice(service, pods, done)) done("done");
  }

  /** @returns whether there was something to write */
  #writeEndpoints(service: Service, pods: readonly Pod[], current: Endpoints | undefined, done: Done): boolean {
    const { labels, subsets } = endpointsOf(service, pods);
    const { namespace, name } = service.metadata;
    if (current === undefined) this.#create(ENDPOINTS, { metadata: { namespace, name, labels }, subsets }, done);
    else if (deepEqual(current.subsets ?? [], subsets) && deepEqual(current.metadata.labels, labels)) return false;
    else this.#update(ENDPOINTS, { ...current, metadata: { ...current.metadata, labels }, subsets }, done);
    return true;
  }

  /** @returns whether there was something to write */
  #writeSlice(service: Service, pods: readonly Pod[], done: Done): boolean {
    const wanted = slicesOf(service, pods);
    for (const slice of wanted) {
      const current = this.#tools.known.get(ENDPOINT_SLICES, collectionKey(slice));
      if (current !== undefined && isAsWanted(current, slice)) continue;
      if (current === undefined) this.#create(ENDPOINT_SLICES, slice, done);
      else {
        const { labels = {} } = slice.metadata;
        const { endpoints, ports } = slice;
        this.#update(
          ENDPOINT_SLICES,
          { ...current, metadata: { ...current.metadata, labels }, endpoints, ports },
          done,
        );
      }
      return true;
    }
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    const surplus = this.#slicesOf(service).find(({ metadata }) => !names.has(metadata.name));
    if (surplus !== undefined) this.#delete(ENDPOINT_SLICES, surplus, done);
    return surplus !== undefined;
  }

  #slicesOf({ metadata: { namespace, name } }: TypedObject): EndpointSlice[] {
    const selector = { matchLabels: { ...SLICE_MANAGER, [SERVICE_NAME]: name } };
    const slices = this.#tools.known.list(ENDPOINT_SLICES, namespace);
    return slices.filter(({ metadata: { labels } }) => matchesLabels(selector, labels));
  }

  #create(resource: ApiResource, object: Pick<TypedObject, "metadata"> | object, done: Done): void {
    const { namespace } = (object as TypedObject).metadata;
    this.#tools.client.create(resourcePath(resource, namespace), object, this.#ended(done));
  }

  #update<T extends TypedObject>(resource: ApiResource<T>, object: T, done: Done): void {
    const { namespace, name } = object.metadata;
    this.#tools.client.update(resourcePath(resource, namespace, name), object, this.#ended(done));
  }

  #delete(resource: ApiResource, { metadata: { namespace, name, uid } }: TypedObject, done: Done): void {
    const path = resourcePath(resource, namespace, name);
    this.#tools.client.delete(path, { preconditions: { uid } }, this.#ended(done));
  }

  #ended(done: Done): (result: WriteResult) => void {
    return (result) => done(this.#tools.outcome(result, EXPECTED));
  }
}

function selectsPods({ spec }: Service): boolean {
  return spec.type !== "ExternalName" && Object.keys(spec.selector ?? {}).length > 0;
}

function selects(service: Service, { metadata }: TypedObject): boolean {
  return selectsPods(service) && matchesLabels({ matchLabels: service.spec.selector! }, metadata.labels);
}

function isAsWanted(current: EndpointSlice, slice: EndpointSlice): boolean {
  return (
    deepEqual(current.endpoints ?? [], slice.endpoints) &&
    deepEqual(current.ports ?? [], slice.ports) &&
    deepEqual(current.metadata.labels, slice.metadata.labels)
  );
}
