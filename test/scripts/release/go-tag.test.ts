/** The step of release.yml that tags the Go modules, unchanged, with a scratch repository and origin. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const workflow = parse(
  readFileSync(resolve(import.meta.dirname, "../../../.github/workflows/release.yml"), "utf8"),
) as Workflow;
const [step] = workflow.jobs["go"]!.steps.flatMap(({ run }) => run ?? []);
const scratch = mkdtempSync(join(tmpdir(), "stint-go-tag-"));
const [origin, clone] = [join(scratch, "origin.git"), join(scratch, "clone")];
/** Without the Git settings of the user who runs this. */
const env = {
  PATH: process.env["PATH"],
  HOME: scratch,
  GIT_CONFIG_NOSYSTEM: "1",
  GITHUB_REF_NAME: "v1.2.3",
  GITHUB_ACTOR: "octocat",
};
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", [...args], { cwd, env, encoding: "utf8" });

beforeAll(() => {
  mkdirSync(join(clone, "bindings/go/embedded"), { recursive: true });
  git(scratch, "init", "-q", "--bare", origin);
  git(clone, "init", "-q", "-b", "main");
  writeFileSync(join(clone, ".gitignore"), "build/\nengine.wasm\n");
  writeFileSync(join(clone, "bindings/go/old.go"), "package stint\n");
  git(clone, "add", "--all");
  git(clone, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "sources");
  git(clone, "remote", "add", "origin", origin);
  const tree = join(scratch, "tree");
  for (const folder of ["embedded", "stinttest"]) mkdirSync(join(tree, folder), { recursive: true });
  for (const file of ["new.go", "LICENSE", "embedded/engine.wasm", "stinttest/go.mod"])
    writeFileSync(join(tree, file), file);
  mkdirSync(join(clone, "build/release"), { recursive: true });
  execFileSync("tar", ["-czf", join(clone, "build/release/go-module-1.2.3.tar.gz"), "-C", tree, "."]);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("the tags have the modules with the engine, on a commit that no branch has", () => {
  execFileSync("bash", ["-e", "-o", "pipefail", "-c", step!], { cwd: clone, env });
  expect(git(origin, "tag")).toBe("bindings/go/stinttest/v1.2.3\nbindings/go/v1.2.3\n");
  expect(git(origin, "branch")).toBe("");
  expect(git(origin, "ls-tree", "-r", "--name-only", "bindings/go/v1.2.3").trim().split("\n")).toEqual([
    ".gitignore",
    "bindings/go/LICENSE",
    "bindings/go/embedded/engine.wasm",
    "bindings/go/new.go",
    "bindings/go/stinttest/go.mod",
  ]);
});
