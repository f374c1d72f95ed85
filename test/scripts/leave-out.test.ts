/** A part that is left out of a bundle: nothing of it is there, and a file that may call it breaks the build. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { leaveOut } from "../../scripts/leave-out.ts";

const folder = mkdtempSync(path.join(tmpdir(), "stint-leave-out-"));
const file = (name: string): string => path.join(folder, name);
writeFileSync(file("part.ts"), 'export function heavy(): string {\n  return "much";\n}\n');
writeFileSync(file("user.ts"), 'import { heavy } from "./part.ts";\nexport const ask = () => heavy();\n');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bundle = (importers: readonly string[]) =>
  build({
    entryPoints: [file("user.ts")],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    plugins: [leaveOut([file("part.ts")], importers)],
  });

test("nothing of it is in the bundle", async () => {
  const { outputFiles } = await bundle([file("user.ts")]);
  expect(outputFiles[0]!.text).not.toContain("much");
});

test("a file that is not named may not import it", async () => {
  await expect(bundle([])).rejects.toThrow(/user\.ts imports .*part\.ts, which is left out of this bundle/);
});

test("a file that is not there is an error: it may have been moved", () => {
  expect(() => leaveOut([file("part.ts"), file("gone.ts")], [])).toThrow(
    `there is no ${file("gone.ts")}, which is to be left out of a bundle`,
  );
});
