/**
 * The rooms of a folder are layers: imports point down. rooms.ts has the lists. In the engine, a call hands its results
 * on as values: no file reads what a call has left in another file, so no mutable variable is exported.
 */
import { describe, expect, test } from "vitest";
import { ROOMS } from "./rooms.ts";
import { files, importsOf, read } from "./sources.ts";

const HOUSES = Object.keys(ROOMS);
const engine = sourcesOf("assembly");

/** Declarations for the compiler alone are in no room. */
function sourcesOf(house: string): readonly string[] {
  return files.filter((file) => file.startsWith(`${house}/`) && /(?<!\.d)\.tsx?$/.test(file));
}

/**
 * How deep a file lies below the roof of a house. Undefined: it is not in that house; -1: in no room of it. A folder
 * stands for its index.ts, and in assembly/ a name without extension for that file.
 */
function floorOf(house: string, file: string): number | undefined {
  if (!file.startsWith(`${house}/`)) return undefined;
  const [room = "", ...rest] = file.slice(house.length + 1).split("/");
  return ROOMS[house]!.findIndex((name) => name === room || (rest.length === 0 && name === `${room}.ts`));
}

function upwardImports(house: string, file: string, source = read(file)): string[] {
  const own = floorOf(house, file)!;
  return importsOf(file, source).flatMap(({ target }) => {
    const floor = target === undefined ? undefined : floorOf(house, target);
    return floor !== undefined && floor < own ? [`${file} imports ${target}`] : [];
  });
}

/** Settings change only when the host configures the engine, and are read by name from everywhere. */
const SETTINGS = "assembly/model/configuration.ts";

function registersOf(file: string, source = read(file)): string[] {
  if (file === SETTINGS) return [];
  return [...source.matchAll(/^export let (\w+)/gm)].map((match) => `${file} exports ${match[1]}`);
}

describe.each(HOUSES)("rooms of %s", (house) => {
  test("have every file", () => {
    const sources = sourcesOf(house);
    expect(sources.filter((file) => floorOf(house, file) === -1)).toEqual([]);
    const isThere = (room: string): boolean =>
      sources.some((file) => file === `${house}/${room}` || file.startsWith(`${house}/${room}/`));
    expect(ROOMS[house]!.filter((room) => !isThere(room))).toEqual([]);
  });

  test("import from the rooms below them alone", () => {
    expect(sourcesOf(house).flatMap((file) => upwardImports(house, file))).toEqual([]);
  });

  test("are in ARCHITECTURE.md as they are here", () => {
    const section = read("ARCHITECTURE.md").split("## The rooms\n")[1]!.split("\n## ")[0]!;
    const own = section.split(`### \`${house}/\``)[1]!.split("\n### ")[0]!;
    const drawn = [...own.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap((row) =>
      [...row[1]!.matchAll(/`([\w.-]+)\/?`/g)].map(([, room]) => room),
    );
    expect(drawn).toEqual(ROOMS[house]);
  });
});

describe("the rule of rooms", () => {
  test("catches what it forbids", () => {
    const engineImports = 'import { advance } from "../sync/sync";\nimport * as trace from "../trace";\n';
    expect(upwardImports("assembly", "assembly/model/job.ts", engineImports)).toEqual([
      "assembly/model/job.ts imports assembly/sync/sync",
      "assembly/model/job.ts imports assembly/trace",
    ]);
    expect(upwardImports("assembly", "assembly/steps/create-pod.ts", engineImports)).toEqual([]);
    expect(upwardImports("assembly", "assembly/engine.ts", 'export { reserve } from "./abi/input";')).toEqual([]);
    expect(upwardImports("assembly", "assembly/steps/a.ts", 'import { poll } from "../engine";')).toHaveLength(1);
    const types = 'import type { Cluster } from "../cluster.ts";\n';
    const [upward] = upwardImports("cluster", "cluster/kubelet/a.ts", types);
    expect(upward).toBe("cluster/kubelet/a.ts imports cluster/cluster.ts");
    expect(upwardImports("cluster", "cluster/manifests/a.ts", types)).toEqual([]);
    const later = 'const a = await import("../cli/run/run.ts");\n';
    expect(upwardImports("host-node", "host-node/words/a.ts", later)).toHaveLength(1);
  });

  test("holds in a house within a house for both", () => {
    const [inner, outer] = ["cluster/apiserver", "cluster"];
    const file = "cluster/apiserver/storage/a.ts";
    const ofVerbs = 'import type { A } from "../verbs/create.ts";\n';
    expect(upwardImports(inner, file, ofVerbs)).toEqual([`${file} imports cluster/apiserver/verbs/create.ts`]);
    expect(upwardImports(outer, file, ofVerbs)).toEqual([]);
    const ofClients = 'import type { A } from "../../client/api.ts";\n';
    expect(upwardImports(outer, file, ofClients)).toEqual([`${file} imports cluster/client/api.ts`]);
    expect(upwardImports(inner, file, ofClients)).toEqual([]);
  });

  test("catches a file that lies in no room", () => {
    const inCluster = ["cluster/new/a.ts", "cluster/new.ts", "cluster/values/a.ts"];
    expect(inCluster.map((file) => floorOf("cluster", file))).toEqual([-1, -1, ROOMS["cluster"]!.indexOf("values")]);
    expect(floorOf("cluster/apiserver", "cluster/apiserver/new.ts")).toBe(-1);
    expect(floorOf("cluster", "scripts/a.ts")).toBeUndefined();
  });
});

describe("files of the engine", () => {
  test("export no variable that changes", () => {
    expect(engine.flatMap((file) => registersOf(file))).toEqual([]);
    const register = "export const A = 1;\nexport let nameSize: u32 = 0;\n";
    expect(registersOf("assembly/ingest/read-pod.ts", register)).toEqual([
      "assembly/ingest/read-pod.ts exports nameSize",
    ]);
    expect(registersOf(SETTINGS, register)).toEqual([]);
  });
});
