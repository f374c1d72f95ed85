/** Which test files get a separate process: those that change what others in it would see, and no others. */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { changesItsProcess, ownProcessFiles } from "../../scripts/own-process.ts";

// In pieces, because this file shares its process.
const [SPY, CHANGE_FOLDER, ENV] = ["vi.spy" + "On", "process.ch" + "dir", "process.e" + "nv"] as const;

test.each([
  `${SPY}(console, "log");`,
  `${CHANGE_FOLDER}(folder);`,
  `${ENV}.HOME = folder;`,
  `${ENV}["HOME"] ??= folder;`,
  `delete ${ENV}["HOME"];`,
  `process.o${"n"}("SIGINT", stop);`,
  `Object.assign(${"global" + "This"}, { document });`,
  `${"global" + "This"}.document = document;`,
  `setFlagsFrom${"String"}("--expose-gc");`,
])("%s changes it", (statement) => {
  expect(changesItsProcess(`import { it } from "vitest";\n  ${statement}\n`)).toBe(true);
});

test.each([
  `if (${ENV}["HOME"] === "") return;`,
  `const { HOME } = ${ENV};`,
  "process.pid",
  "child.process.kill();",
  `vi.fn();`,
])("%s does not", (statement) => {
  expect(changesItsProcess(`import { it } from "vitest";\n  ${statement}\n`)).toBe(false);
});

test("a few of the files of this repository do", () => {
  const files = ownProcessFiles(resolve(import.meta.dirname, "../.."));
  expect(files).toContain("test/host-node/server/found-kubeconfig.test.ts");
  expect(files).not.toContain("test/scripts/own-process.test.ts");
});
