/**
 * The export `@stint-dev/stint/testing/jest`: importing it gives jest's global `expect` the matchers. In an
 * environment of @stint-dev/stint/testing/jest-environment it also lets failed tests leave their recordings.
 */
import { reportFailure } from "./failure-report.ts";
import { takeClusters, watchTests } from "./live-clusters.ts";
import { matchers } from "./matchers.ts";
import { endingsIn } from "./test-endings.ts";

const { expect } = globalThis as { readonly expect?: { extend(matchers: object): void } };
if (expect === undefined)
  throw new Error(
    "@stint-dev/stint/testing/jest found no global expect; import it in a test of jest or in setupFilesAfterEnv, or pass `matchers` of @stint-dev/stint/testing to expect.extend",
  );
expect.extend(matchers);

const endings = endingsIn(globalThis);
if (endings !== undefined) {
  watchTests();
  endings.onEnd = (test, hasFailed) => {
    const clusters = takeClusters();
    const lines = hasFailed ? clusters.flatMap((cluster) => reportFailure(cluster, test)) : [];
    if (lines.length > 0) console.error(lines.join("\n"));
  };
}
