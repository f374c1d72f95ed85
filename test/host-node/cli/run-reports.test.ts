/** `stint run --output junit` and `--output github`: what CI servers and GitHub Actions read; and the summary. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
let file: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-reports-"));
  file = join(directory, "jobs.json");
});
afterAll(() => rmSync(directory, { recursive: true }));

class ActionsConsole extends RecordingConsole {
  override readonly environment = { GITHUB_STEP_SUMMARY: "summary.md" };
}

async function run(jobs: readonly object[], ...flags: readonly string[]): Promise<ActionsConsole & { exit: number }> {
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: jobs }));
  const console = new ActionsConsole(directory);
  const exit = await main(["run", "--runtime", "simulated", ...flags, file], "0.0.0", console);
  return Object.assign(console, { exit });
}

/** A Job whose pods do what the outcome says. */
function job(name: string, outcome: object, spec: object = {}): object {
  const template = {
    metadata: { annotations: { "stint.dev/simulate": JSON.stringify({ runMs: 1000, ...outcome }) } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...spec, template } };
}

const INDEXED = { completionMode: "Indexed", completions: 4, parallelism: 4, backoffLimitPerIndex: 1 };
const HOSTILE = ["</failure>", "a & b ::error::no \u0001", "\u001b[31mred\u001b[0m ```` ##[error]"];

/** The names of its elements from the outside in, with their attributes; texts are left out. Fails for no XML. */
function elementsOf(text: string): { path: string; attributes: Record<string, string>; text: string }[] {
  expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n')).toBe(true);
  const found: { path: string; attributes: Record<string, string>; text: string }[] = [];
  const open: string[] = [];
  const part = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<>&]*(?:&#\d+;[^"<>&]*)*")*)(\/?)>([^<>]*)/y;
  part.lastIndex = text.indexOf("<testsuites");
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    expect(match).not.toBeNull();
    const [, closes, name, attributes, isEmpty, body] = match!;
    if (closes) {
      expect(open.pop()).toBe(name);
      continue;
    }
    found.push({
      path: [...open, name].join("/"),
      attributes: Object.fromEntries(
        [...attributes!.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]),
      ),
      text: body!.trim(),
    });
    if (!isEmpty) open.push(name!);
  }
  expect(open).toEqual([]);
  return found;
}

describe("--output junit", () => {
  it("has a suite a Job, and a case an index: complete, retried, failed", async () => {
    const outcome = {
      logs: HOSTILE,
      byIndex: { 1: { exitCodes: [3, 0] }, 2: { exitCode: 4, message: "say <why>" } },
    };
    const { exit, out } = await run([job("parts", outcome, INDEXED)], "--output", "junit");
    expect(exit).toBe(1);
    const elements = elementsOf(out);
    const suite = elements.find(({ path }) => path === "testsuites/testsuite")!;
    expect(suite.attributes).toMatchObject({ name: "parts", tests: "4", failures: "1", errors: "0", skipped: "0" });
    const cases = elements.filter(({ path }) => path === "testsuites/testsuite/testcase");
    expect(cases.map(({ attributes }) => [attributes["name"], attributes["classname"]])).toEqual(
      [0, 1, 2, 3].map((index) => [`index ${index}`, "parts"]),
    );
    expect(cases[0]!.attributes["time"]).toBe("1.000");
    const failure = elements.find(({ path }) => path.endsWith("/failure"))!;
    expect(failure.attributes).toEqual({
      type: "PodFailed",
      message: "container c exited (exit code 4, Error): say &#60;why&#62; (the last of 2 failed pods)",
    });
    expect(failure.text).toContain("&#60;/failure&#62;&#10;a &#38; b ::error::no ^A&#10;red ````");
    const retried = elements.filter(({ path }) => path.endsWith("/system-out"));
    expect(retried.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^pod parts-1-\w{5}: container c exited \(exit code 3/),
    ]);
  });

  it("has a case a pod where there are no indexes; what was tried again is skipped in a complete Job", async () => {
    const { exit, out } = await run([job("again", { exitCodes: [1, 0] })], "--output", "junit");
    expect(exit).toBe(0);
    const paths = elementsOf(out).map(({ path }) => path.replace("testsuites/testsuite/", ""));
    expect(paths).toEqual(["testsuites", "testsuites/testsuite", "testcase", "testcase/skipped", "testcase"]);
  });

  it("has a case for a Job that failed though no pod did, and for one that has not ended", async () => {
    const slow = { runMs: 100_000 };
    const { out } = await run(
      [job("late", slow, { activeDeadlineSeconds: 5 }), job("open", slow)],
      ...["--output", "junit", "--timeout", "20s"],
    );
    const problems = elementsOf(out).filter(({ path }) => /\/(failure|error)$/.test(path));
    expect(
      problems.map(({ path, attributes }) => [path.split("/").at(-1), attributes["type"], attributes["message"]]),
    ).toEqual([
      ["failure", "DeadlineExceeded", "Job was active longer than specified deadline"],
      ["error", "NotFinished", "waiting for pods: 1 active, 1 of them ready, 0 succeeded of 1"],
    ]);
  });
});

describe("the summary for people", () => {
  it("shows which indexes were complete, which needed retries, and which failed", async () => {
    const outcome = { byIndex: { 1: { exitCodes: [3, 0] }, 2: { exitCode: 4 } } };
    const { out } = await run([job("parts", outcome, INDEXED)]);
    expect(out).toContain(
      "failed indexes 2\n  0 #+X#\n    # complete   + complete after retries   X failed\n  FailedIndexes: ",
    );
  });
});

describe("--output github", () => {
  it("keeps output between unguessable stop-commands tokens, and annotates Jobs that failed", async () => {
    const console = await run(
      [job("bad", { exitCode: 3, logs: HOSTILE }, { backoffLimit: 0 }), job("good", {})],
      "-o",
      "github",
    );
    expect(console.exit).toBe(1);
    const lines = console.out.split("\n");
    const token = /^::stop-commands::([0-9a-f]{32})$/.exec(lines[1]!)![1];
    const commands = lines.filter((line) => line.startsWith("::"));
    expect(commands).toEqual([
      ...["::group::stint run", `::stop-commands::${token}`, `::${token}::`, "::endgroup::"],
      ...[`::stop-commands::${token}`, `::${token}::`],
      expect.stringMatching(
        /^::error file=\S+jobs\.json,line=1,title=Job bad failed::BackoffLimitExceeded: Job has reached the specified backoff limit%0Alast failure: pod bad-\w{5}: container c exited \(exit code 3, Error\)%0A<\/failure>%0Aa & b ::error::no \^A%0Ared ```` ##\[error\]$/,
      ),
    ]);
    expect(console.out).toContain("\n2 Jobs: 1 complete, 1 failed: bad\n");
    expect(console.out).not.toContain("\u001b");
  });

  it("keeps the name of a file within its line, which could begin with a command otherwise", async () => {
    const hostile = join(directory, "a\n::error::b.yaml");
    for (const [content, said] of [
      ["kind: [", ":1:"],
      ["\u00ff".repeat(3_000_000), " is 6000000 bytes long"],
    ] as const) {
      writeFileSync(hostile, content);
      const console = new ActionsConsole(directory);
      expect(await main(["run", "--output", "github", hostile], "0.0.0", console)).toBe(2);
      expect(console.err).toContain(`/a^J::error::b.yaml${said}`);
      expect(console.err).not.toMatch(/^::/m);
    }
    rmSync(hostile);
  });

  it("appends a table to the page of the workflow run, and the last lines of what failed", async () => {
    writeFileSync(join(directory, "summary.md"), "before\n");
    await run([job("bad", { exitCode: 3, logs: HOSTILE }, { backoffLimit: 0 }), job("good", {})], "-o", "github");
    const text = readFileSync(join(directory, "summary.md"), "utf8");
    expect(text.split("\n").slice(0, 7)).toEqual([
      ...["before", "### stint run", ""],
      ...["| Job | State | Succeeded | Failed | Time | Reason |", "|---|---|---|---|---|---|"],
      "| bad | ❌ Failed | 0/1 | 1 | 1.0s | BackoffLimitExceeded: Job has reached the specified backoff limit |",
      "| good | ✅ Complete | 1/1 | 0 | 1.0s |  |",
    ]);
    expect(text).toMatch(/\n`{5}\nlast failure: pod bad-\w{5}: .*\n<\/failure>\n.*\nred ```` ##\[error\]\n`{5}\n/);
  });

  it("says when the page cannot be written, and continues", async () => {
    rmSync(join(directory, "summary.md"), { force: true });
    writeFileSync(join(directory, "taken"), "");
    class Unwritable extends RecordingConsole {
      override readonly environment = { GITHUB_STEP_SUMMARY: "taken/summary.md" };
    }
    writeFileSync(file, JSON.stringify(job("good", {})));
    const console = new Unwritable(directory);
    expect(await main(["run", "--runtime", "simulated", "-o", "github", file], "0.0.0", console)).toBe(0);
    expect(console.err).toMatch(/^Warning: cannot write the summary to taken\/summary\.md \(\$GITHUB_STEP_SUMMARY\): /);
  });
});
