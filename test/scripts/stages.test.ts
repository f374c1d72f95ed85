/** The runner of `npm test`: no stage is left out, the worst counts, and what stages print is not mixed. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const STAGES = join(import.meta.dirname, "../../scripts/stages.ts");

/** Runs stages as `npm test` does: in a process with a terminal's streams. */
function runStages(list: readonly object[], beside: readonly object[]): { status: number | null; output: string } {
  const code = `import { runStages } from ${JSON.stringify(STAGES)};
    process.exitCode = await runStages(${JSON.stringify(list)}, ${JSON.stringify({ beside, env: { WORD: "word" } })});`;
  const { status, output } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", code]);
  return { status, output: String(output[1]) + String(output[2]) };
}

function stage(name: string, code: string): object {
  return { name, command: process.execPath, args: ["-e", code] };
}

test("all stages run, and what those beside print comes last, in their order", () => {
  const waits = "console.log(process.env.WORD, 1); setTimeout(() => console.log(process.env.WORD, 2), 50)";
  const { status, output } = runStages(
    [stage("a", waits), stage("b", "console.log('of b')")],
    [stage("c", "console.error('of c')"), stage("d", "console.log('of d')")],
  );
  expect(output).toBe("\n— a\nword 1\nword 2\n\n— b\nof b\n\n— c\nof c\n\n— d\nof d\n");
  expect(status).toBe(0);
});

test.each([
  ["one after another", "first"],
  ["beside them", "beside"],
])("a stage that fails %s does not keep the others from running", (_place, which) => {
  const code = (name: string): string => `console.log("of ${name}"); process.exitCode = ${name === which ? 3 : 0}`;
  const { status, output } = runStages(
    [stage("first", code("first")), stage("second", code("second"))],
    [stage("beside", code("beside")), stage("last", code("last"))],
  );
  for (const name of ["first", "second", "beside", "last"]) expect(output).toContain(`of ${name}\n`);
  expect(output.endsWith(`\nfailed: ${which}\n`)).toBe(true);
  expect(status).toBe(1);
});

test("a command that cannot start has failed", () => {
  const { status, output } = runStages([{ name: "none", command: "/no/such/command", args: [] }], []);
  expect(output).toContain("/no/such/command");
  expect(output).toContain("failed: none");
  expect(status).toBe(1);
});
