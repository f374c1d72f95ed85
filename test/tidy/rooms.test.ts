/**
 * The rooms of the engine are layers: imports point down. rooms.ts has the list. What a call finds out is handed on as
 * a value: nobody reads what a call has left in another file, so no variable that changes is exported.
 */
import { describe, expect, test } from "vitest";
import { ROOF, ROOMS } from "./rooms.ts";
import { files, importsOf, read } from "./sources.ts";

const engine = files.filter((file) => file.startsWith("assembly/") && file.endsWith(".ts"));

/** How high a file stands, from 0 for the roof; -1: in no room. */
function floorOf(file: string): number {
  if (ROOF.includes(file.endsWith(".ts") ? file : `${file}.ts`)) return 0;
  const [, room = "", ...rest] = file.split("/");
  // A folder stands for its index.ts.
  return rest.length <= 1 ? ROOMS.indexOf(room) + 1 || -1 : -1;
}

function upwardImports(file: string, source = read(file)): string[] {
  return importsOf(file, source)
    .filter(({ target }) => target !== undefined && floorOf(target) < floorOf(file))
    .map(({ target }) => `${file} imports ${target}`);
}

/** Settings change only when the host configures the engine, and are read by name from everywhere. */
const SETTINGS = "assembly/model/configuration.ts";

function registersOf(file: string, source = read(file)): string[] {
  if (file === SETTINGS) return [];
  return [...source.matchAll(/^export let (\w+)/gm)].map((match) => `${file} exports ${match[1]}`);
}

describe("rooms of the engine", () => {
  test("have every file", () => {
    expect(engine.filter((file) => floorOf(file) === -1)).toEqual([]);
    expect(ROOMS.filter((room) => !engine.some((file) => file.startsWith(`assembly/${room}/`)))).toEqual([]);
  });

  test("import from the rooms below them alone", () => {
    expect(engine.flatMap((file) => upwardImports(file))).toEqual([]);
  });

  test("the rule catches what it forbids", () => {
    const forbidden = 'import { advance } from "../sync/sync";\nimport * as trace from "../trace";\n';
    expect(upwardImports("assembly/model/job.ts", forbidden)).toEqual([
      "assembly/model/job.ts imports assembly/sync/sync",
      "assembly/model/job.ts imports assembly/trace",
    ]);
    expect(upwardImports("assembly/steps/create-pod.ts", forbidden)).toEqual([]);
    expect(upwardImports("assembly/engine.ts", 'export { reserve } from "./abi/input";')).toEqual([]);
    expect(upwardImports("assembly/steps/a.ts", 'import { poll } from "../engine";')).toHaveLength(1);
  });

  test("export no variable that changes", () => {
    expect(engine.flatMap((file) => registersOf(file))).toEqual([]);
    const register = "export const A = 1;\nexport let nameSize: u32 = 0;\n";
    expect(registersOf("assembly/ingest/read-pod.ts", register)).toEqual([
      "assembly/ingest/read-pod.ts exports nameSize",
    ]);
    expect(registersOf(SETTINGS, register)).toEqual([]);
  });

  test("stand in ARCHITECTURE.md as they stand here", () => {
    const section = read("ARCHITECTURE.md").split("## The rooms of the engine")[1]!.split("\n## ")[0]!;
    const drawn = [...section.matchAll(/^\| `(\w+)\/` \|/gm)].map((match) => match[1]);
    expect(drawn).toEqual(ROOMS);
  });
});
