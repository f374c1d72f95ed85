/**
 * The same request to a real API server and to the in-memory one, for tests that compare the answers. No controller
 * runs on either side, but for those that the test starts.
 */
import type { Method } from "../../bindings/js/host.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { askCluster } from "../cluster/ask-cluster.ts";
import { TESTED_VERSION } from "./tested-version.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";

export interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body?: object | string;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: any;
  readonly warnings: readonly string[];
}

export type Ask = (request: Request) => Promise<Answer>;

/** A server, and how to let its controllers work. */
export interface Side {
  readonly ask: Ask;
  /** Returns when the predicate holds. */
  until(holds: () => Promise<boolean>): Promise<void>;
}

/** What both sides said, without what they cannot have in common. */
export interface Both {
  readonly upstream: any;
  readonly stint: any;
}

const DEADLINE_MS = 100_000;
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Three parts in base64url. */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
/** What a server has drawn: the lower addresses and ports of the ranges are those that tests ask for. */
const ADDRESS = /\b10\.(?!96\.0\.)(9[6-9]|10\d|11[01])\.\d+\.\d+\b/g;
const NODE_PORT = /:3\d{4}\//g;
const FIRST_DRAWN_PORT = 30_086;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

export class BothServers {
  readonly controlPlane: ControlPlane;
  readonly cluster: Cluster;
  readonly clock: VirtualClock;

  private constructor(controlPlane: ControlPlane, cluster: Cluster, clock: VirtualClock) {
    this.controlPlane = controlPlane;
    this.cluster = cluster;
    this.clock = clock;
  }

  static async start(options: ControlPlaneOptions = {}): Promise<BothServers> {
    const controlPlane = await startControlPlane(options);
    const clock = new VirtualClock(Date.now());
    const { cluster } = await EmbeddedCluster.create({
      clock,
      nodes: [],
      jobController: false,
      servesClients: true,
      kubernetes: TESTED_VERSION,
      onFatal: (error) => {
        throw error;
      },
    });
    return new BothServers(controlPlane, cluster, clock);
  }

  readonly upstream: Ask = ({ method, path, body, contentType, accept }) =>
    this.controlPlane.client().request<any>(method, path, body, contentType, accept);

  get stint(): Ask {
    return askOf(this.cluster);
  }

  /** One request, or several one after another, to both. */
  async ask(...requests: readonly Request[]): Promise<Both> {
    const [upstream, stint]: unknown[][] = [[], []];
    for (const request of requests) {
      upstream!.push(comparable(await this.upstream(request)));
      stint!.push(comparable(await this.stint(request)));
    }
    return requests.length === 1 ? { upstream: upstream![0], stint: stint![0] } : { upstream, stint };
  }

  /** The same to both, with controllers that were started on both. */
  async both(act: (side: Side) => Promise<unknown>): Promise<Both> {
    return { upstream: comparable(await act(this.#upstreamSide())), stint: comparable(await act(this.#stintSide())) };
  }

  #upstreamSide(): Side {
    return {
      ask: this.upstream,
      async until(holds) {
        const end = Date.now() + DEADLINE_MS;
        while (!(await holds())) {
          if (Date.now() > end) throw new Error("upstream's controller did not do what was waited for");
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      },
    };
  }

  #stintSide(): Side {
    return {
      ask: this.stint,
      until: async (holds) => {
        for (let waitedMs = 0; !(await holds()); waitedMs += 100) {
          if (waitedMs > DEADLINE_MS) throw new Error("the controller did not do what was waited for");
          this.clock.advance(100);
        }
      },
    };
  }

  stop(): Promise<void> {
    return this.controlPlane.stop();
  }
}

/** The in-memory server alone. */
export function askOf(cluster: Cluster): Ask {
  return async ({ method, path, body, contentType, accept }) => {
    const type = contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
    return askCluster<any>(cluster, method, path, body, type, accept);
  };
}

/** Without versions, managed fields, and the values of uids, times, tokens, drawn addresses and ports. */
export function comparable(value: unknown): unknown {
  if (typeof value === "string")
    return value
      .replace(UID, "UID")
      .replace(TIME, "TIME")
      .replace(TOKEN, "TOKEN")
      .replace(ADDRESS, "ADDRESS")
      .replace(NODE_PORT, ":PORT/");
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== "resourceVersion" && name !== "managedFields");
  return Object.fromEntries(
    members.map(([name, member]) => {
      const isDrawn = name.endsWith("odePort") && (member as number) >= FIRST_DRAWN_PORT;
      return [name, isDrawn ? "PORT" : comparable(member)];
    }),
  );
}
