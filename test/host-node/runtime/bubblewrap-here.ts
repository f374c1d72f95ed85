/**
 * bubblewrap of this machine, for tests of what happens inside it. They are skipped with a message where it is missing
 * or does not work; with STINT_REQUIRE_BUBBLEWRAP=1 that is an error.
 */
import { type Bubblewrap, detectBubblewrap } from "../../../host-node/runtime/bubblewrap.ts";

const found = detectBubblewrap();
if ("problem" in found) {
  if (process.env["STINT_REQUIRE_BUBBLEWRAP"] === "1")
    throw new Error(`STINT_REQUIRE_BUBBLEWRAP is 1, and ${found.problem}`);
  console.warn(`tests of the sandbox are skipped: ${found.problem}`);
}

export const hasBubblewrap = "path" in found;
/** Of no use where there is none. */
export const bubblewrap: Bubblewrap = "path" in found ? found : { path: "", options: [] };
