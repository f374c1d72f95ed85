/**
 * Reports the names that headless Services give to pods, as a cluster's DNS server does: one for each hostname in their
 * EndpointSlices, and the name of the Service itself for all of them.
 *
 * Invariant: an endpoint has names as long as it is ready. Changes of the same time are reported together. Leaves out
 * Services with their own address, at which no proxy listens here.
 */
import type { Timer } from "../../bindings/js/host.ts";
import { ApiClient, type ApiResource, resourcePath } from "../client/client.ts";
import type { Part } from "../client/part.ts";
import type { ControllerOptions } from "../components.ts";
import { Reflector } from "../client/reflector.ts";
import type { EndpointSlice } from "../values/kinds.ts";

/** Names of one address. */
export interface ServiceName {
  readonly namespace: string;
  /** Within the namespace: `workers`, `train-0.workers`. */
  readonly names: readonly string[];
  readonly address: string;
}

const SLICES: ApiResource<EndpointSlice> = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
};
const HEADLESS = "service.kubernetes.io/headless";
const SERVICE = "kubernetes.io/service-name";
/** Pods of a Job come and go in great numbers. */
const DELAY_MS = 20;

export class ServiceNames implements Part {
  readonly #clock: ControllerOptions["clock"];
  readonly #reflector: Reflector<EndpointSlice>;
  readonly #onNames: (names: readonly ServiceName[]) => void;
  readonly #slices = new Map<string, EndpointSlice>();
  #timer: Timer | undefined;

  /** @param onNames gets all names whenever one has changed */
  constructor(
    { transport, clock, random, onProblem }: ControllerOptions,
    onNames: (names: readonly ServiceName[]) => void,
  ) {
    this.#clock = clock;
    this.#onNames = onNames;
    this.#reflector = new Reflector(
      {
        client: new ApiClient(transport, { userAgent: "service-names" }),
        clock,
        random,
        path: resourcePath(SLICES),
        labelSelector: HEADLESS,
      },
      {
        onSync: (slices) => {
          this.#slices.clear();
          for (const slice of slices) this.#slices.set(slice.metadata.uid, slice);
          this.#changed();
        },
        onEvent: (type, slice) => {
          if (type === "DELETED") this.#slices.delete(slice.metadata.uid);
          else this.#slices.set(slice.metadata.uid, slice);
          this.#changed();
        },
        onProblem,
      },
    );
  }

  start(): void {
    this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
    this.#timer?.cancel();
  }

  #changed(): void {
    this.#timer ??= this.#clock.setTimer(DELAY_MS, () => {
      this.#timer = undefined;
      this.#onNames([...this.#slices.values()].flatMap(namesOf));
    });
  }
}

function namesOf({ metadata, addressType, endpoints }: EndpointSlice): ServiceName[] {
  const { namespace = "", labels = {} } = metadata;
  const service = labels[SERVICE];
  // An endpoint with a name instead of an address.
  if (service === undefined || addressType === "FQDN") return [];
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses, hostname }) => {
      const names = hostname === undefined ? [service] : [`${hostname}.${service}`, service];
      return addresses.map((address) => ({ namespace, names, address }));
    });
}
