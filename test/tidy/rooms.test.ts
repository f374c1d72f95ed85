/** The rooms of the engine are layers: imports point down. rooms.ts has the list. */
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

  test("stand in ARCHITECTURE.md as they stand here", () => {
    const section = read("ARCHITECTURE.md").split("## The rooms of the engine")[1]!.split("\n## ")[0]!;
    const drawn = [...section.matchAll(/^\| `(\w+)\/` \|/gm)].map((match) => match[1]);
    expect(drawn).toEqual(ROOMS);
  });
});
