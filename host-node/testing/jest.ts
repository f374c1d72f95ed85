/** The export `stint/testing/jest`: importing it gives jest's global `expect` the matchers. */
import { matchers } from "./matchers.ts";

const { expect } = globalThis as { readonly expect?: { extend(matchers: object): void } };
if (expect === undefined)
  throw new Error(
    "stint/testing/jest found no global expect; import it in a test of jest or in setupFilesAfterEnv, or pass `matchers` of stint/testing to expect.extend",
  );
expect.extend(matchers);
