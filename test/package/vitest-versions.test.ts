/**
 * `testing/vitest` of the package with vitest 4, which the repository has, and with vitest 5, which comes from npm: the
 * compiler knows the matchers, and the example passes.
 */
import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { inRoot, npm } from "../../scripts/release/artefact.ts";
import { VitestProject } from "../examples/vitest-project.ts";
import { complaintsOfCompiler } from "./compiler.ts";

const FROM_NPM = "5.1.1";
const USER = `import "@stint-dev/stint/testing/vitest";
  import { expect } from "vitest";
  expect("pi").not.toHaveFailed({ reason: "BackoffLimitExceeded" });
  expect({ kind: "Job" }).toHavePods({ failed: 3 });
  // @ts-expect-error there is no such field
  expect("pi").toHaveFailed({ why: "BackoffLimitExceeded" });
  // @ts-expect-error there is no such matcher
  expect("pi").toHaveSucceded();`;

const folder = inject("userFolder");

/** @returns the folder of that package, with what it needs beside it */
function fetched(version: string): string {
  const place = join(folder, `vitest-${version}`);
  mkdirSync(place);
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "fetched", private: true }));
  npm(["install", "--no-audit", "--no-fund", `vitest@${version}`], { cwd: place });
  return join(place, "node_modules/vitest");
}

describe.each([
  ["the repository's", () => realpathSync(inRoot("node_modules/vitest"))],
  [FROM_NPM, () => fetched(FROM_NPM)],
])("vitest %s", (version, find) => {
  test("knows the matchers, and runs the example", () => {
    const project = new VitestProject(join(folder, `with-${version.replace(/\W/g, "-")}`), (to) =>
      cpSync(join(folder, "node_modules/@stint-dev/stint"), to, { recursive: true }),
    );
    rmSync(project.path("node_modules/vitest"));
    symlinkSync(find(), project.path("node_modules/vitest"));
    expect(complaintsOfCompiler(project.path("."), USER, ["es2024", "dom", "esnext.disposable"], ["node"])).toBe("");
    const { status, output } = project.test();
    expect(output).toContain("5 passed");
    expect(status).toBe(0);
  });
});
