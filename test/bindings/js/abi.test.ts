/**
 * bindings/ABI.md lists exactly what the module exports, the codes, the constants with their defaults, and the decision
 * codes with their numbers. What the document says in words is tested where it happens: engine.test.ts and the vectors.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ABI_VERSION, ErrorCode, IngestKind } from "../../../bindings/js/engine.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { readDecisionRows } from "../../../scripts/decision-rows.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const document = read("bindings/ABI.md");

/** Cells of the table rows of a section. */
function rows(heading: string): string[][] {
  const section = document.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

const unquoted = (cell: string) => cell.replaceAll("`", "");
const numbersIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1]!);

/** The strings of an array in a source file. */
function stringsOf(source: string, name: string): string[] {
  const body = new RegExp(`const ${name}: StaticArray<string> = \\[([\\s\\S]*?)\\];`).exec(source)![1]!;
  return [...body.matchAll(/"([^"]*)"/g)].map((match) => match[1]!);
}

describe("ABI.md", () => {
  let exportsOfModule: ReturnType<typeof WebAssembly.Module.exports>;
  let instance: WebAssembly.Instance;

  beforeAll(async () => {
    await buildModule("engine");
    const module = await WebAssembly.compile(readFileSync(modulePath("engine")));
    exportsOfModule = WebAssembly.Module.exports(module);
    instance = await WebAssembly.instantiate(module, {});
  });

  test("lists exactly the exports of the module, with as many parameters as each takes", () => {
    const listed = rows("Exports").filter((cells) => cells[0]!.startsWith("`"));
    expect(listed.map((cells) => unquoted(cells[0]!)).sort()).toEqual(
      exportsOfModule
        .map((entry) => entry.name)
        .filter((name) => !name.startsWith("global:"))
        .sort(),
    );
    for (const [name, parameters] of listed) {
      const entry = exportsOfModule.find((candidate) => candidate.name === unquoted(name!))!;
      const count = parameters === "" ? 0 : parameters!.split(",").length;
      if (entry.kind === "function")
        expect((instance.exports[entry.name] as () => void).length, entry.name).toBe(count);
    }
  });

  test("says of every export since when it is there, and not since a version to come", () => {
    const versionOf = (name: string): number => (instance.exports[name] as WebAssembly.Global).value;
    const current = `${versionOf("abi_version")}.${versionOf("abi_minor_version")}`;
    expect(/^ABI version: \*\*(.+)\*\*$/m.exec(document)![1]).toBe(current);
    expect(current.startsWith(`${ABI_VERSION}.`)).toBe(true);
    for (const cells of rows("Exports").filter((row) => row[0]!.startsWith("`"))) {
      const [major, minor] = cells[3]!.split(".").map(Number) as [number, number];
      expect(major === ABI_VERSION && minor <= Number(current.split(".")[1]), cells[0]).toBe(true);
    }
  });

  test("every other export is a mutable global", () => {
    const others = exportsOfModule.filter((entry) => entry.name.startsWith("global:"));
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((entry) => entry.kind !== "global")).toEqual([]);
    for (const { name } of others) {
      const global = instance.exports[name] as WebAssembly.Global;
      expect(() => (global.value = global.value as number), name).not.toThrow();
    }
  });

  test("lists the codes by number and by the binding's name, as the engine has them", () => {
    const listed = rows("Codes").filter((cells) => /^\d+$/.test(cells[0]!));
    expect(listed.map((cells) => [cells[1], Number(cells[0])])).toEqual(Object.entries(ErrorCode));
    const inEngine = [...read("assembly/abi/codes.ts").matchAll(/^export const ([A-Z_]+): i32 = (\d+);/gm)].map(
      (match) => [
        match[1]!.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        Number(match[2]),
      ],
    );
    expect(inEngine).toEqual(Object.entries(ErrorCode));
  });

  test("lists the kinds of ingest as the binding has them", () => {
    const listed = rows("ingest").filter((cells) => /^\d+$/.test(cells[0]!));
    expect(
      listed.map((cells) => [
        cells[1]!.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
        Number(cells[0]),
      ]),
    ).toEqual(Object.entries(IngestKind));
  });

  test("lists the constants with their defaults", () => {
    const source = read("assembly/model/configuration.ts");
    const names = stringsOf(source, "CONSTANTS");
    const inEngine = names.map((name) => [
      name,
      Number(new RegExp(`export let ${name}: \\w+ = (\\d+);`).exec(source)![1]),
    ]);
    const listed = rows("configure").filter((cells) => cells.length === 4 && cells[0]!.startsWith("`"));
    expect(listed.map((cells) => [unquoted(cells[0]!), Number(cells[2])])).toEqual(inEngine);
    for (const [name, unit] of listed) expect(unquoted(name!).endsWith("Ms"), name).toBe(unit === "ms");
  });

  test("lists the decision codes with their numbers", () => {
    const listed = rows("Decision codes").filter((cells) => cells[0]!.startsWith("`"));
    expect(listed.map((cells) => [unquoted(cells[0]!), numbersIn(cells[1]!), numbersIn(cells[2]!)])).toEqual(
      readDecisionRows()
        .filter(({ isDecision }) => isDecision)
        .map(({ name, numbers, explainedNumbers }) => [name, numbers, explainedNumbers]),
    );
  });

  test("lists the codes of explain that are no decisions, with their numbers", () => {
    const listed = rows("explain").filter((cells) => /^`[A-Z]/.test(cells[0]!));
    expect(listed.map((cells) => [unquoted(cells[0]!), numbersIn(cells[1]!)])).toEqual(
      readDecisionRows()
        .filter(({ isDecision }) => !isDecision)
        .map(({ name, numbers }) => [name, numbers]),
    );
  });

  test.each([
    ["assembly/turns/poll.ts", "MAX_REQUESTS_PER_POLL", "4096"],
    ["assembly/turns/poll.ts", "MAX_SYNCS_PER_POLL", "1000"],
    ["assembly/events/event-queue.ts", "MAX_QUEUED_EVENTS", "1000"],
    ["assembly/events/event-queue.ts", "MAX_EVENT_TRIES", "12"],
    ["assembly/lifecycle/waiting-pods.ts", "MAX_WAITING_PODS", "500000"],
    ["assembly/json/reader.ts", "MAX_DEPTH", "512"],
    ["assembly/model/sources.ts", "MAX_SOURCES", "64"],
    ["assembly/model/recent-decisions.ts", "RING_ENTRIES", "12"],
    ["assembly/model/wait-reasons.ts", "MAX_WAIT_REASONS", "64"],
  ])("knows the limit of %s, %s", (file, name, value) => {
    expect(new RegExp(`const ${name}: \\w+ = (\\d+);`).exec(read(file))![1]).toBe(value);
    expect(rows("Limits").some((cells) => cells[1] === value || cells[1]!.startsWith(`${value} `))).toBe(true);
  });
});
