/**
 * bindings/ABI.md lists exactly what the module exports, the codes, kinds and methods, the members of a configuration,
 * the constants with their defaults, and the decision codes with their numbers; test/scripts/abi-words.test.ts does the
 * same for the bindings. What the document says in words is tested where it happens: engine.test.ts and the vectors.
 */
import { readFileSync } from "node:fs";
import binaryen from "binaryen";
import { beforeAll, describe, expect, test } from "vitest";
import { ABI_VERSION } from "../../../bindings/js/engine.ts";
import { constantCase } from "../../../scripts/abi-words/prose.ts";
import { readAbiWords } from "../../../scripts/abi-words/read.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { readDecisionRows } from "../../../scripts/decision-rows.ts";
import { files, read } from "../../tidy/sources.ts";

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

/** What hosts of every language are given of it. */
const words = readAbiWords(document);

const engineSources = files.filter((file) => /^assembly\/.*\.ts$/.test(file)).map((file) => read(file));

function sourceThatSays(text: string): string {
  const found = engineSources.filter((source) => source.includes(text));
  expect(found, text).toHaveLength(1);
  return found[0]!;
}

/** The groups of each match. */
function matches(source: string, pattern: RegExp): string[][] {
  return [...source.matchAll(pattern)].map((match) => match.slice(1));
}

const unquoted = (cell: string) => cell.replaceAll("`", "");
const numbersIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1]!);

/** The strings of an array in a source file. */
function stringsOf(source: string, name: string): string[] {
  const body = new RegExp(`const ${name}: StaticArray<string> = \\[([\\s\\S]*?)\\];`).exec(source)![1]!;
  return [...body.matchAll(/"([^"]*)"/g)].map((match) => match[1]!);
}

/** The number of a default of the engine, which is a literal or the name of a constant. */
function numberOf(value: string): number {
  const named = matches(engineSources.join("\n"), new RegExp(`export const ${value}: \\w+ = (\\d+);`, "g"))[0]?.[0];
  return Number(named ?? value);
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
      const value = global.value as number;
      expect(() => (global.value = value), name).not.toThrow();
    }
  });

  test("lists the codes by number and name, as the engine has them", () => {
    const inEngine = matches(sourceThatSays("NOT_CONFIGURED: i32 ="), /^export const ([A-Z_]+): i32 = (\d+);/gm);
    expect(words.errorCodes.map(({ name, number }) => [constantCase(name), String(number)])).toEqual(inEngine);
  });

  test("lists the kinds of ingest as the engine has them", () => {
    const source = sourceThatSays("LIST_BEGIN: u32 =");
    for (const { name, number } of words.ingestKinds) {
      expect(source).toContain(`const ${constantCase(name)}: u32 = ${number};`);
      expect(source).toMatch(new RegExp(`"kind must be [^"]*\\b${number} \\(${name}\\)[^"]*"`));
    }
    expect(matches(source, /\b(\d) \([a-z]+(?:-[a-z]+)?\)/g)).toHaveLength(words.ingestKinds.length);
  });

  test("lists the methods as the engine has them", () => {
    const inEngine = matches(
      engineSources.join("\n"),
      /^(?:export )?const (GET|POST|PUT|PATCH|DELETE): u32 = (\d+);/gm,
    );
    expect(inEngine.length).toBeGreaterThan(3);
    for (const [name, number] of inEngine) expect(words.methods[Number(number)]).toBe(name);
  });

  test("lists the members of a configuration, and the resources, as the engine reads them", () => {
    const inEngine = matches(sourceThatSays("function configureFrom("), /\breader\.stringIs\("(\w+)"\)/g).flat();
    const { source, configuration } = words;
    const resources = source.flatMap(({ type }) => (typeof type === "string" ? [] : type));
    const listed = [...configuration.map(({ name }) => name), ...source.map(({ name }) => name), ...resources];
    expect(listed.sort()).toEqual(inEngine.sort());
  });

  test("lists the constants with their defaults", () => {
    const source = read("assembly/model/configuration.ts");
    const names = stringsOf(source, "CONSTANTS");
    const inEngine = names.map((name) => [
      name,
      numberOf(new RegExp(`export let ${name}: \\w+ = (\\w+);`).exec(source)![1]!),
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
    ["assembly/abi/input.ts", "MAX_INPUT_BYTES", words.maxInputBytes],
    ["assembly/admission/review.ts", "MAX_REVIEW_BYTES", words.maxReviewBytes],
  ])("gives hosts the limit of %s, %s", (file, name, bytes) => {
    const mebibytes = new RegExp(`const ${name}: u32 = (\\d+) \\* 1024 \\* 1024;`).exec(read(file))?.[1];
    expect(Number(mebibytes) * 1024 * 1024).toBe(bytes);
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

  test("says which features of Wasm the module needs: with these alone it is valid", () => {
    const { MutableGlobals, SignExt, NontrappingFPToInt, BulkMemory, SIMD128 } = binaryen.Features;
    const module = binaryen.readBinary(readFileSync(modulePath("engine")));
    module.setFeatures(MutableGlobals | SignExt | NontrappingFPToInt | BulkMemory | SIMD128);
    expect(module.validate()).toBe(1);
    module.dispose();
  });

  test("says that the memory has no maximum", () => {
    const module = binaryen.readBinary(readFileSync(modulePath("engine")));
    expect(module.getMemoryInfo("0").max).toBeUndefined();
    module.dispose();
    expect(document).toContain("without a maximum");
  });
});
