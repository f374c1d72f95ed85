/**
 * `stint serve` with a fault that the kills must find: what is written is answered before the disk has it. Commits are
 * slow here, so that a kill mostly comes in between.
 */
import { DurableWrites } from "../../host-node/data/durable-writes.ts";

const COMMIT_MS = 20;

const { commit } = DurableWrites.prototype;
const sleeping = new Int32Array(new SharedArrayBuffer(4));
Object.defineProperties(DurableWrites.prototype, {
  isPending: { get: () => false },
  after: { value: (callback: () => void) => callback() },
  commit: {
    value(this: DurableWrites) {
      // The answers go out first.
      setTimeout(() => {
        Atomics.wait(sleeping, 0, 0, COMMIT_MS);
        commit.call(this);
      });
    },
  },
});

await import("../../host-node/cli/main.ts");
