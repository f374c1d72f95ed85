/** Text for people at the width of a terminal: what is broken, what is not, and that nothing is lost. */
import { array, assert, constantFrom, integer, property } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../checked-main.ts";
import { withWrappedErrors, wrapped } from "../../../../host-node/cli/output/wrapped.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { CommandFolder } from "../command-folder.ts";
import { RecordingConsole } from "../recording-console.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

const COLOUR = /\u001b\[\d*m/g;

function terminalOf(columns: number): RecordingConsole {
  const console = new RecordingConsole(folder.path);
  console.terminal = () => ({ columns, rows: 24 });
  Object.assign(console, { isErrorTerminal: true });
  return console;
}

describe("wrapped", () => {
  it("breaks between words, and hangs what follows", () => {
    expect(wrapped("a.yaml:1:1: warn Code: one two three four five\n  fix: do this or that or the other\n", 24)).toBe(
      "a.yaml:1:1: warn Code:\n  one two three four\n  five\n  fix: do this or that\n    or the other\n",
    );
  });

  it("hangs below the last column of a table", () => {
    expect(wrapped("  at once      up to 8; up to 14 while they end", 32)).toBe(
      "  at once      up to 8; up to 14\n               while they end",
    );
  });

  it("does not break commands, words and what is in backquotes", () => {
    const command = "kubectl describe job a-job-with-a-long-name --kubeconfig stint.kubeconfig -n team";
    expect(wrapped(`  its events: ${command}`, 40)).toBe(`  its events:\n    ${command}`);
    const patch = "kubectl -n team patch cronjob report --type merge -p '{}' --context prod";
    expect(wrapped(`    ${patch}`, 40)).toBe(`    ${patch}`);
    expect(wrapped("say `kubectl get jobs -A` to see what there is", 24)).toBe(
      "say\n  `kubectl get jobs -A`\n  to see what there is",
    );
    const file = "/a/very/long/path/to/some/file/that/is/wider/than/the/terminal.yaml:1:1:";
    expect(wrapped(`${file} it is so`, 30)).toBe(`${file}\n  it is so`);
  });

  it("breaks prose that only begins like a command", () => {
    expect(wrapped("Warning: helm would run these hooks in their order", 30)).toBe(
      "Warning: helm would run these\n  hooks in their order",
    );
  });

  it("leaves alone what fits, what is drawn, what is redrawn, and what no terminal shows", () => {
    const drawn = `  1 │ ${"x ".repeat(30)}`;
    expect(wrapped(drawn, 40)).toBe(drawn);
    expect(wrapped("a b c", 40)).toBe("a b c");
    const redrawn = `\u001b[1A\u001b[2K${"x ".repeat(30)}\n`;
    expect(wrapped(redrawn, 40)).toBe(redrawn);
    expect(wrapped(drawn.replace("│", ""), Infinity)).toBe(drawn.replace("│", ""));
  });

  it("loses nothing, and keeps to the width where a word allows it", () => {
    const words = constantFrom("a", "word", "--flag", "a/path/to.yaml", "\u001b[31mred\u001b[0m", "…", "x".repeat(30));
    const indents = constantFrom("", "  ", "    ");
    assert(
      property(
        indents,
        array(words, { minLength: 1, maxLength: 40 }),
        integer({ min: 20, max: 60 }),
        (indent, all, columns) => {
          const lines = wrapped(`${indent}${all.join(" ")}`, columns).split("\n");
          expect(lines.map((line) => line.trim()).join(" ")).toBe(all.join(" "));
          for (const line of lines) {
            const isOneWord = !line.trim().includes(" ");
            if (!isOneWord) expect(line.replace(COLOUR, "").length).toBeLessThanOrEqual(columns);
          }
        },
      ),
      { seed: 3 },
    );
  });
});

describe("a console", () => {
  it("has its standard error wrapped, but for lines of a log", () => {
    const console = terminalOf(30);
    const wrapping = withWrappedErrors(console);
    const log = `{"level": "info", "message": "${"words ".repeat(10)}"}\n`;
    wrapping.writeError(log);
    wrapping.writeError("Warning: left out, because a run has no use for it\n");
    expect(console.err).toBe(`${log}Warning: left out, because a\n  run has no use for it\n`);
    wrapping.writeOut("a".repeat(50));
    expect(console.out).toBe("a".repeat(50));
  });
});

const NARROW = 50;
const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: pi, annotations: {a: b}}
spec:
  backoffLimit: 1
  template:
    spec:
      restartPolicy: OnFailure
      containers: [{name: main, image: busybox, command: [date], env: [{name: A, value: "a rather long value"}]}]
`;

it.each([
  ["lint", [], 0],
  ["forecast", [], 0],
  ["forecast", ["--outcome", '{"exitCode": 1}'], 0],
  ["upgrade-check", ["--from", "1.32"], 0],
  ["run", ["--runtime", "simulated"], 0],
] as const)("stint %s %j keeps to the width of a terminal", async (command, args, exit) => {
  const console = terminalOf(NARROW);
  const file = folder.file("j.yaml", `${JOB}---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n`);
  expect(await main([command, ...args, file], "0.0.0", console)).toBe(exit);
  const lines = `${console.out}\n${console.err}`.replaceAll(`${folder.path}/`, "").split("\n");
  const tooWide = lines
    .map((line) => line.replace(/\u001b\[\d*[A-Za-z]/g, ""))
    .filter((line) => line.length > NARROW && line.trim().includes(" "));
  expect(tooWide).toEqual([]);
});
