/**
 * Before the tests on a real API server: says whether there are the programs for them, and builds what is missing, so
 * that no test waits for it. Where they cannot be had the tests are skipped with a message; with
 * STINT_REQUIRE_CLUSTER=1 that is an error.
 */
import { BINARY_NAMES, findKubectl, findOrBuild, whyUnavailable } from "./binaries/binaries.ts";

export default async function setUp(): Promise<void> {
  const reason = whyUnavailable();
  if (reason !== undefined) {
    if (process.env["STINT_REQUIRE_CLUSTER"] === "1") throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${reason}`);
    console.warn(`The tests on a real API server are skipped: ${reason}`);
    return;
  }
  for (const name of BINARY_NAMES) console.log(`${name}: ${await findOrBuild(name)}`);
  console.log(`kubectl: ${findKubectl() ?? "not in $PATH; what needs it is skipped"}`);
}
