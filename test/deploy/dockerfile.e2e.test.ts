/**
 * The image without Docker: a linter reads deploy/Dockerfile, and its two stages are played with folders in place of
 * images. What needs a registry (the base images, `npm ci`) is left out, and so is compiling an engine that is there:
 * its stamp says that it is made from the very files that the image copies; otherwise it is compiled.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { validate } from "dockerfile-utils";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import packageJson from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const dockerfile = readFileSync(join(root, "deploy/Dockerfile"), "utf8");
const [build, image] = dockerfile.split(/^(?=FROM )/m).slice(1) as [string, string];

interface Copy {
  /** Of the build stage; else of the repository. */
  readonly isFromBuild: boolean;
  readonly sources: readonly string[];
  readonly target: string;
}

function copiesOf(stage: string): Copy[] {
  return [...stage.matchAll(/^COPY (--from=build )?(.+)$/gm)].map(([, from, words]) => {
    const paths = words!.split(" ");
    return { isFromBuild: from !== undefined, sources: paths.slice(0, -1), target: paths.at(-1)! };
  });
}

/** What an instruction in its JSON form says, the last one if there are several. */
function wordsOf(instruction: string): string[] {
  return JSON.parse([...image.matchAll(new RegExp(`^${instruction} (\\[.*\\])$`, "gm"))].at(-1)![1]!) as string[];
}

/** Copies as Docker does: the contents of a folder, a file into a folder. */
function copyInto(folder: string, from: string, { sources, target }: Copy): void {
  for (const source of sources) {
    const isFolder = readdirSync(dirname(join(from, source)), { withFileTypes: true }).some(
      (entry) => entry.isDirectory() && join(entry.parentPath, entry.name) === resolve(from, source),
    );
    const to = join(folder, target, isFolder ? "" : source);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(from, source), to, { recursive: true });
  }
}

let source: string;
let rootFileSystem: string;
beforeAll(() => {
  source = mkdtempSync(join(tmpdir(), "stint-image-source-"));
  rootFileSystem = mkdtempSync(join(tmpdir(), "stint-image-"));
});
afterAll(() => {
  for (const folder of [source, rootFileSystem]) rmSync(folder, { recursive: true, force: true });
});

it("the Dockerfile has nothing that its linter reports", () => {
  expect(validate(dockerfile)).toEqual([]);
  expect(validate(dockerfile.replace("--from=build", "--form=build"))).toHaveLength(1);
});

it("the image gets from the repository what it copies, and nothing else", () => {
  const copied = [build, image]
    .flatMap(copiesOf)
    .filter(({ isFromBuild }) => !isFromBuild)
    .flatMap(({ sources }) => sources);
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const rules = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(rules[0]).toBe("*");
  expect(rules.slice(1).toSorted()).toEqual(copied.map((path) => `!${path}`).toSorted());
});

it("the image builds from what it copies, and starts with what it takes over", async () => {
  for (const copy of copiesOf(build)) copyInto(source, root, copy);
  symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
  // The module, and the hash of what it was made from.
  await buildModule("engine");
  for (const ending of ["wasm", "json", "stamp"]) {
    const file = `build/engine.${ending}`;
    cpSync(join(root, file), join(source, file));
  }
  // `npm run build`, in the Node of these tests.
  expect(/^RUN npm run build$/m.test(build)).toBe(true);
  expect(packageJson.scripts.build).toBe("node scripts/setup.mjs --command-only");
  const built = spawnSync(process.execPath, ["scripts/setup.mjs", "--command-only"], { cwd: source, encoding: "utf8" });
  expect(built).toMatchObject({ status: 0, stderr: "" });

  for (const copy of copiesOf(image))
    copyInto(rootFileSystem, copy.isFromBuild ? "/" : root, {
      ...copy,
      sources: copy.sources.map((path) => path.replace(/^\/src\//, `${source}/`)),
    });
  expect(readdirSync(join(rootFileSystem, "opt/stint"))).toEqual(
    expect.arrayContaining(["LICENSE", "NOTICE", "engine.wasm", "stint.mjs"]),
  );
  const [node, command, ...more] = wordsOf("ENTRYPOINT");
  expect([node, ...more]).toEqual(["/nodejs/bin/node"]);
  const run = (args: readonly string[]): object =>
    spawnSync(process.execPath, [join(rootFileSystem, command!), ...args], { cwd: "/", encoding: "utf8", env: {} });
  expect(run(["--version"])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(`^stint +${packageJson.version}\n`),
    stderr: "",
  });
  expect(run(wordsOf("CMD"))).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("stint controller"),
    stderr: "",
  });
}, 300_000);

it("the image runs as a user that is a number and not root", () => {
  expect(/^USER (\d+):(\d+)$/m.exec(image)?.slice(1).map(Number)).toEqual([65532, 65532]);
  expect(image).toMatch(/^FROM gcr\.io\/distroless\/nodejs24-debian13:nonroot$/m);
});
