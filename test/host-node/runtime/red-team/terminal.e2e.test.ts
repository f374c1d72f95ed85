/** Output that would take hold of the terminal of its reader, and the terminal itself. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { shellWord } from "../../../../host-node/words/shell-word.ts";
import { main } from "../../../../host-node/cli/program.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { RecordingConsole } from "../../cli/recording-console.ts";
import { attempt, redTeam, sandboxed, temporaryFolder } from "./attempts.ts";

/** As printf takes them. */
const SEQUENCES: readonly [name: string, printf: string][] = [
  ["moves the cursor and overwrites lines", "\\033[2A\\033[1;1Hspoofed\\033[K"],
  ["clears the screen", "\\033[2J\\033[3J\\033c"],
  ["sets the title of the window", "\\033]0;spoofed\\007"],
  ["writes to the clipboard", "\\033]52;c;ZXZpbA==\\007"],
  ["makes a link that lies", "\\033]8;;https://example.com\\033\\\\trusted\\033]8;;\\033\\\\"],
  ["asks the terminal to answer as if the user had typed", '\\033[6n\\033[c\\033P$q"p\\033\\\\\\005'],
  ["uses eight-bit controls", "\\302\\2332J\\302\\2350;spoofed\\302\\234"],
  ["hides text by carriage returns and backspaces", "evil\\rgood\\b\\b\\b\\bgood"],
  ["turns the direction of text", "\\342\\200\\256live\\342\\201\\246"],
];

const HARMFUL =
  /\u001b(?!\[[0-9;]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

redTeam("the terminal", () => {
  let folder = "";
  beforeAll(() => buildModule("engine"));
  folder = temporaryFolder(tmpdir());

  it.each(SEQUENCES)("%s", async (_, printf) => {
    const file = join(folder, "job.json");
    const containers = [{ name: "main", image: "none", command: ["printf", `before ${printf} after\\n`] }];
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "j" },
        spec: { template: { spec: { restartPolicy: "Never", containers } } },
      }),
    );
    const console = new RecordingConsole(folder);
    expect(await main(["run", file], "0.0.0", console)).toBe(0);
    expect(console.out).toContain("after");
    expect(console.out + console.err).not.toMatch(HARMFUL);
  });

  it("types into the terminal that Stint was started in", async () => {
    const TIOCSTI = 0x5412;
    const { output } = await attempt(
      sandboxed(),
      `(exec 3<>/dev/tty) 2>&1; perl -e 'for $fd (0..2) { open(T, "<&=", $fd); $c = "x"; print ioctl(T, ${TIOCSTI}, $c) ? "typed" : "refused", "\\n" }'`,
    );
    expect(output).toMatch(/No such device or address|cannot (open|create)/);
    expect(output.match(/refused/g)).toHaveLength(3);
    expect(output).not.toContain("typed");
  });

  it("opens the terminal that Stint was started in", async () => {
    const script = "(exec 3<>/dev/tty) 2>/dev/null && echo has a terminal || echo has none";
    const host = [process.execPath, join(import.meta.dirname, "leaky-host.ts"), script].map(shellWord).join(" ");
    const { stdout } = spawnSync("script", ["-qec", host, "/dev/null"], { encoding: "utf8" });
    expect(
      stdout
        .replaceAll("\r", "")
        .split("\n")
        .filter((line) => line !== ""),
    ).toEqual(["== a shell of the caller's", "has a terminal", "== a container", "has none"]);
  });
});
