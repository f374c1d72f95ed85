/** Set-up and what it builds: quiet when there is nothing to do, and a package that works without node_modules. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const setup = (): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [join(root, "scripts/setup.mjs")], { encoding: "utf8" });

/** dist/ alone, where no node_modules is near. */
let dist: string;
beforeAll(() => {
  const first = setup();
  expect(first.stderr).toBe("");
  expect(first.status).toBe(0);
  dist = mkdtempSync(join(tmpdir(), "stint-dist-"));
  cpSync(join(root, "dist"), dist, { recursive: true });
}, 120_000);
afterAll(() => rmSync(dist, { recursive: true }));

it("installs with the npm that runs it, not with one that a dependency brings along", () => {
  const project = mkdtempSync(join(tmpdir(), "stint-setup-"));
  for (const file of ["package.json", "package-lock.json", "scripts/setup.mjs"])
    cpSync(join(root, file), join(project, file));
  const npm = join(project, "npm-cli.js");
  writeFileSync(npm, 'console.error("npm", ...process.argv.slice(2)); process.exit(3);');
  const { status, stderr } = spawnSync(process.execPath, [join(project, "scripts/setup.mjs")], {
    encoding: "utf8",
    env: { ...process.env, npm_execpath: npm },
  });
  expect(status).toBe(1);
  expect(stderr).toContain("exit code 3\nnpm ci --no-audit --no-fund\n");
  rmSync(project, { recursive: true });
});

it("builds anew what a file of its script has changed for", () => {
  const project = mkdtempSync(join(tmpdir(), "stint-setup-"));
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const scripts: Readonly<Record<string, readonly string[]>> = {
    "build-schema.ts": ["schema.json", "schema-served.json", "openapi.json"],
    "build-engine.ts": ["engine.wasm", "core.wasm", "../bindings/go/embedded/engine.wasm"],
    "build.ts": ["../dist/stint.mjs", "../dist/engine.wasm", "../dist/openapi.json"],
  };
  for (const file of ["package.json", "package-lock.json", "scripts/setup.mjs"])
    cpSync(join(root, file), join(project, file));
  for (const folder of ["build", "dist", "bindings/go/embedded"]) mkdirSync(join(project, folder), { recursive: true });
  for (const [script, outputs] of Object.entries(scripts)) {
    // Instead of what takes half a minute: what goes in and comes out is the same.
    const writes = outputs
      .map((output) => `writeFileSync(${JSON.stringify(join(project, "build", output))}, "");`)
      .join("\n");
    writeFileSync(join(project, "scripts", script), `import { writeFileSync } from "node:fs";\n${writes}`);
  }
  const changed = (): string =>
    spawnSync(process.execPath, [join(project, "scripts/setup.mjs")], { encoding: "utf8" }).stdout.replaceAll(
      / [\d.]+ s/g,
      "",
    );
  expect(changed()).toBe("building the API schema…\nbuilding the engine…\nbuilding the command and library…\n");
  expect(changed()).toBe("");
  const imported = [
    ...readFileSync(join(root, "scripts/build-engine.ts"), "utf8").matchAll(/ from "\.\/([^"]+)"/g),
  ].map((match) => match[1]!);
  expect(imported.length).toBeGreaterThan(0);
  for (const file of imported) {
    writeFileSync(join(project, "scripts", file), "// another one");
    expect(`${file}: ${changed()}`).toBe(`${file}: building the engine…\n`);
  }
  rmSync(project, { recursive: true });
});

it("is silent when nothing is out of date", () => {
  expect(setup()).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

it("builds a command that runs by itself", () => {
  const version = spawnSync(process.execPath, [join(dist, "stint.mjs"), "--version"], { encoding: "utf8" });
  expect(version).toMatchObject({ status: 0, stdout: `${packageJson.version}\n`, stderr: "" });
  const run = spawnSync(
    process.execPath,
    [join(dist, "stint.mjs"), "run", "--runtime", "simulated", join(root, "examples/hello.yaml")],
    { encoding: "utf8" },
  );
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
});

it("builds libraries that need no Node, and one that does", () => {
  for (const file of ["index.mjs", "cluster.mjs"])
    expect(readFileSync(join(dist, file), "utf8")).not.toMatch(/\bfrom\s*"node:|\brequire\(/);
  const script = `
    const { Engine, EngineLoop } = await import("./index.mjs");
    const { Cluster } = await import("./cluster.mjs");
    const { EmbeddedCluster, RealClock } = await import("./node.mjs");
    const clock = new RealClock();
    const embedded = await EmbeddedCluster.create({ clock, nodes: [], onFatal: (error) => { throw error; } });
    console.log([Engine, EngineLoop, Cluster].every((each) => typeof each === "function"), embedded.cluster.handle({ method: "GET", path: "/version", headers: {} }).status);
    clock.stop();
  `;
  expect(
    spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: dist, encoding: "utf8" }),
  ).toMatchObject({ status: 0, stdout: "true 200\n", stderr: "" });
});
