/**
 * Of several replicas only the one that the Lease names writes: asked when a request is handed to the network, for what
 * happens to it there no replica can help. Leaves out reading, which is always allowed. Source:
 * host-node/controller/leader-election.ts.
 */
import type { ControllerProcess } from "../controller-process.ts";
import type { Traffic } from "../faulty-transport.ts";
import type { Ledger } from "../ledger.ts";
import { type Check, violate } from "./check.ts";

export class Leadership implements Check {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  left({ name, identity }: ControllerProcess, { request: { method, path } }: Traffic): void {
    if (identity === undefined || method === "GET") return;
    const holder = this.#ledger.leaseHolder();
    if (holder !== identity)
      violate(
        "only the leader writes",
        `${name} of ${identity} sends ${method} ${path} while the Lease names ${holder ?? "no holder"}`,
      );
  }
}
