/** The sizes of the engine and of what the page fetches before its first picture, beside their budgets. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildModule, engineFlavour, modulePath } from "../../scripts/build-engine.ts";
import { BYTE_BUDGETS, nearBudget } from "../../scripts/byte-budgets.ts";

// Only a release build has the size of what is shipped.
test.skipIf(engineFlavour() === "debug").each(["engine", "core"] as const)(
  "%s.wasm keeps within its budget",
  async (name) => {
    await buildModule(name);
    const bytes = gzipSync(readFileSync(modulePath(name)), { level: 9 }).length;
    const warning = nearBudget(BYTE_BUDGETS[name], bytes);
    if (warning !== undefined) console.warn(warning);
    expect(bytes).toBeLessThanOrEqual(BYTE_BUDGETS[name].maxBytes);
  },
);

test("a size is warned of from 97 % of its budget on", () => {
  const budget = { what: "it", maxBytes: 1000 };
  expect(nearBudget(budget, 970)).toBeUndefined();
  expect(nearBudget(budget, 971)).toBe("it: 971 of 1000 bytes, gzipped (97.1 %)");
});
