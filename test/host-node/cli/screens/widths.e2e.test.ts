/**
 * What the commands show keeps to the width of a terminal: a wider line is one word, or a command that is copied whole.
 * Leaves out help (help.test.ts), and logs, which are for programs.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { main } from "../checked-main.ts";
import { RecordingConsole } from "../recording-console.ts";
import { wordsOf } from "../transcripts/play.ts";
import { Screen } from "./screen.ts";
import { type Setting, startSetting } from "./setting.ts";
import { SHOTS, type Shot } from "./shots.ts";
import { screenOf } from "./pseudo-terminal.ts";

/** They write a log. */
const LOGGERS = new Set(["controller", "webhook"]);
const COMMAND = /^\s*(kubectl|stint|export) /;

let setting: Setting;
beforeAll(async () => {
  await buildModule("engine");
  setting = await startSetting();
}, 60_000);
afterAll(() => setting?.stop());

async function shown({ line }: Shot, columns: number): Promise<Screen> {
  const console = new RecordingConsole(setting.folder);
  console.terminal = () => ({ columns, rows: 24 });
  Object.assign(console, { isErrorTerminal: true });
  Object.assign(console.environment, setting.environment);
  await main(wordsOf(line).slice(1), "0.0.0", console);
  const screen = new Screen(columns);
  screen.write(`${console.err}${console.out}`.replaceAll("\n", "\r\n"));
  return screen;
}

/** The lines that the terminal has broken, each with what it shows of it first. */
function tooWide(screen: Screen): readonly string[] {
  return screen.lines
    .filter(({ isFull, text }) => isFull && text.trim().includes(" ") && !COMMAND.test(text))
    .map(({ text }) => text);
}

const ended = Object.values(SHOTS)
  .flat()
  .filter(({ line, until }) => until === undefined && line !== "stint" && !line.includes("--help"));
it.each([60, 80])("what ends keeps to %i columns", async (columns) => {
  const wide: Record<string, readonly string[]> = {};
  for (const shot of ended) wide[shot.line] = tooWide(await shown(shot, columns));
  expect(Object.entries(wide).filter(([, lines]) => lines.length > 0)).toEqual([]);
});

const goingOn = Object.entries(SHOTS)
  .filter(([command]) => !LOGGERS.has(command))
  .flatMap(([, shots]) => shots.filter(({ until }) => until !== undefined));
it.skipIf(process.platform !== "linux")("what goes on keeps to 80 columns, in a pseudo-terminal", async () => {
  for (const shot of goingOn) expect(tooWide(await screenOf(shot, 80, setting)), shot.line).toEqual([]);
});
