/**
 * The version of Kubernetes whose programs the tests start, and as which Stint behaves beside them:
 *
 *     STINT_TEST_KUBERNETES=1.36 npm run test:cluster -- test/kubernetes/differential
 *
 * @throws Error for a version that is none of those served
 */
import { SERVED_KUBERNETES, SERVED_VERSIONS, type ServedVersion } from "../../cluster/values/kubernetes-versions.ts";

export const TESTED_VERSION: ServedVersion = versionOf(process.env["STINT_TEST_KUBERNETES"] ?? SERVED_KUBERNETES);

function versionOf(given: string): ServedVersion {
  const version = SERVED_VERSIONS.find((known) => known === given);
  if (version === undefined)
    throw new Error(
      `STINT_TEST_KUBERNETES is ${JSON.stringify(given)}; allowed is one of ${SERVED_VERSIONS.join(", ")}`,
    );
  return version;
}
