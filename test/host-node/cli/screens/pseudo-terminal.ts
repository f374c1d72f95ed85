/** Runs a line of a shell in a pseudo-terminal of a width, by script(1) of util-linux, which Linux has. */
import { spawn } from "node:child_process";
import { Screen } from "./screen.ts";
import type { Setting } from "./setting.ts";
import type { Shot } from "./shots.ts";

const ROWS = 24;
const PATIENCE_MS = 60_000;

/** @returns the screen at the end, or when it shows what the shot waits for. @throws Error when it takes too long */
export async function screenOf({ line, until }: Shot, columns: number, setting: Setting): Promise<Screen> {
  const screen = new Screen(columns);
  // Words of a shell: `exec` keeps no shell between script and the command, so that its end reaches the command.
  const command = `stty rows ${ROWS} cols ${columns} && exec ${line}`;
  const child = spawn("script", ["--quiet", "--flush", "--command", command, "/dev/null"], {
    cwd: setting.folder,
    env: setting.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let isSeen = false;
  const stop = (): void => void child.kill("SIGKILL"); // The terminal closes, and the command gets SIGHUP.
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  const timer = setTimeout(stop, PATIENCE_MS);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (isSeen) return;
    screen.write(text);
    isSeen = until !== undefined && screen.lines.some((shown) => until.test(shown.text));
    if (isSeen) stop();
  });
  await ended;
  clearTimeout(timer);
  if (child.signalCode !== null && !isSeen)
    throw new Error(`${line} does not ${until === undefined ? "end" : `show ${until}`}: ${textOf(screen)}`);
  return screen;
}

const textOf = (screen: Screen): string => screen.lines.map(({ text }) => text).join("\n");
