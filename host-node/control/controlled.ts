/**
 * What `stint serve --control` adds to a server: a cluster that tests script, and the API for that.
 *
 * Invariant: on a virtual clock, a request is answered after everything that is due at the present instant has
 * happened. So a client that has created a Job sees its pods, without moving time. The `Date` of an answer is the time
 * of the cluster, from which clients compute how long ago its times are.
 */
import { seededRandom } from "../../cluster/values/random.ts";
import type { EmbeddedCluster } from "../embedded/embedded.ts";
import { ClusterApi } from "./cluster-api.ts";
import { ClusterControls } from "./controls.ts";
import { AutoAdvancingClock } from "./auto-advancing-clock.ts";
import { Steering } from "./steering.ts";
import { secureRandomNumbers } from "../embedded/secure-random.ts";
import { ControlApi } from "./control.ts";
import type { RequestHandler } from "../server/https-server.ts";

export interface ControlledOptions {
  readonly clock: "real" | "virtual";
  /** Whether the cluster runs the Jobs. Then the inputs of its controller are recorded. */
  readonly controller: boolean;
  /** Draws names, and how long containers run; unpredictable numbers do unless given. */
  readonly seed?: number | undefined;
  readonly onFatal: (error: Error) => void;
}

export class Controlled extends Steering {
  /** Used by the cluster, too. */
  readonly random: () => number;

  constructor({ clock, controller, seed, onFatal }: ControlledOptions) {
    const random = seed === undefined ? secureRandomNumbers() : seededRandom(seed);
    super({ clock, onFatal, random, startMs: Date.now(), record: controller });
    this.random = random;
  }

  /** The calls for a cluster that was made with `clusterOptions`. */
  apiFor(embedded: EmbeddedCluster, nodes: readonly string[]): ControlApi {
    const api = new ClusterApi(embedded.cluster);
    const controls = new ClusterControls(this.controlsOf(embedded, nodes));
    return new ControlApi({ controls, list: (path) => api.list(path) });
  }

  /** A handler that answers after everything due has happened, with the cluster's time. */
  promptly(handler: RequestHandler): RequestHandler {
    const { clock } = this;
    if (!(clock instanceof AutoAdvancingClock)) return handler;
    return {
      handle: (request) => {
        const answer = handler.handle(request);
        clock.runDue();
        return { ...answer, headers: { ...answer.headers, date: new Date(clock.now()).toUTCString() } };
      },
    };
  }
}
