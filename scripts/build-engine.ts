/**
 * Compiles the engine (assembly/index.ts) to build/engine.wasm, the controller in it alone (assembly/core.ts) to
 * build/core.wasm, and its leaves alone to build/leaves.wasm for tests.
 *
 * A built module has no imports. It exports every global that changes after the start as `global:<n>`, also those of
 * the runtime, because a save consists of linear memory and these globals. Files are written under another name and
 * then renamed, so two builds at once do no harm. A build does nothing if the sources have not changed.
 *
 * With `STINT_ENGINE=debug` it skips optimization and packing: a build takes seconds, and the module is larger, slower
 * and decides the same. `npm run dev` sets that. Whatever is measured or published is a release build, the default.
 *
 * As a command it also puts the engine where the Go module embeds it.
 */
import { createHash } from "node:crypto";
import { mkdirSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import compiler from "assemblyscript/package.json" with { type: "json" };
import { movedMap, type SourceMap, withGlobalExports } from "./debug-module.ts";
import { packText } from "./pack-text.ts";

const root = path.resolve(import.meta.dirname, "..");
const buildFolder = path.join(root, "build");
const GO_ENGINE = path.join(root, "bindings/go/embedded/engine.wasm");
const CONFIG = "asconfig.json";
// A configuration that exists only in memory: that of the project, with one entry.
const DERIVED_CONFIG = "asconfig.derived.json";

const OPTIMIZER_RUNS = 2;

/** How modules are built: `release` is shipped, `debug` is for trying an edit. */
const FLAVOURS = ["release", "debug"] as const;
type Flavour = (typeof FLAVOURS)[number];

/** The flavour that `STINT_ENGINE` names; `release` where it is not set. Throws for any other word. */
export function engineFlavour(): Flavour {
  const word = process.env["STINT_ENGINE"] ?? "release";
  const flavour = FLAVOURS.find((known) => known === word);
  if (flavour === undefined) throw new Error(`STINT_ENGINE is "${word}"; allowed are ${FLAVOURS.join(" and ")}`);
  return flavour;
}

const entries = {
  engine: "assembly/index.ts",
  core: "assembly/core.ts",
  leaves: "test/engine/leaves-entry.ts",
};

/** The call that makes a row in assembly/trace/decisions.ts: its function, and the name, the numbers, the sentence. */
export const ROW_CALL = /(decision|jobState)\("(\w+)", "([\w,;]*)", "([^"\\]*)"\)/;

/** The call that makes a rule in assembly/lint/: its code, numbers, sentence, fix and severity. */
export const RULE_CALL = /rule\(\s*"(\w+)",\s*"([\w,]*)",\s*"([^"\\|]*)",\s*"([^"\\|]*)",\s*"(warn|deny|off)",?\s*\)/;

export type ModuleName = keyof typeof entries;

/** What build/<name>.json says about build/<name>.wasm. */
export interface BuiltModule {
  readonly sha256: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Names in the order of the module's export section. */
  readonly exports: readonly string[];
}

/** Absolute path of a module, built or not. */
export function modulePath(name: ModuleName): string {
  return path.join(buildFolder, `${name}.wasm`);
}

/** Absolute path of the source map of a debug build. */
export function mapPath(name: ModuleName): string {
  return `${modulePath(name)}.map`;
}

/** Builds a module unless it is up to date. Throws with the compiler's messages when it does not compile. */
export async function buildModule(name: ModuleName): Promise<BuiltModule> {
  const infoPath = path.join(buildFolder, `${name}.json`);
  const stampPath = path.join(buildFolder, `${name}.stamp`);
  const flavour = engineFlavour();
  const stamp = hashOfSources(name, flavour);
  const upToDate = existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp;
  if (upToDate && existsSync(modulePath(name)) && existsSync(infoPath)) {
    return JSON.parse(readFileSync(infoPath, "utf8")) as BuiltModule;
  }

  const { binary, map } = await moduleOf(name, flavour);
  const module = await WebAssembly.compile(binary);
  const imports = WebAssembly.Module.imports(module).map((entry) => `${entry.module}.${entry.name}`);
  if (imports.length > 0) {
    throw new Error(`build/${name}.wasm imports ${imports.join(", ")}; no import of any kind is allowed in assembly/`);
  }
  const info: BuiltModule = {
    sha256: createHash("sha256").update(binary).digest("hex"),
    bytes: binary.length,
    gzipBytes: gzipSync(binary, { level: 9 }).length,
    exports: WebAssembly.Module.exports(module).map((entry) => entry.name),
  };
  mkdirSync(buildFolder, { recursive: true });
  writeWhole(modulePath(name), binary);
  rmSync(mapPath(name), { force: true });
  if (map !== undefined) writeWhole(mapPath(name), JSON.stringify(map));
  writeWhole(infoPath, `${JSON.stringify(info, null, 2)}\n`);
  // Write the stamp last, so that an interrupted build is done again.
  writeWhole(stampPath, stamp);
  return info;
}

/**
 * A module, and the map of a debug build, without writing either.
 * @param edit plants something into the sources, for tests that have to find it
 * @throws Error with the compiler's messages when it does not compile
 */
export async function moduleOf(
  name: ModuleName,
  flavour: Flavour,
  edit?: SourceEdit,
): Promise<{ readonly binary: Uint8Array<ArrayBuffer>; readonly map?: SourceMap }> {
  const compiled = await compile(name, flavour, edit);
  return flavour === "debug" ? debuggable(compiled) : { binary: packText(await finish(compiled.binary)) };
}

/** The text of a source, by its path from the root, as the compiler should see it. */
export type SourceEdit = (file: string, text: string) => string;

/** What the compiler makes: a module, and for a debug build its map. */
interface Compiled {
  readonly binary: Uint8Array;
  readonly map?: SourceMap;
}

async function compile(name: ModuleName, flavour: Flavour, edit: SourceEdit = (_, text) => text): Promise<Compiled> {
  // Load the compiler only here: that takes half a second, and most builds have nothing to do.
  const { default: asc } = await import("assemblyscript/asc");
  const config = JSON.parse(readFileSync(path.join(root, CONFIG), "utf8")) as {
    entries: string[];
    targets: Record<Flavour, { outFile: string; sourceMap?: string }>;
  };
  config.entries = [entries[name]];
  config.targets[flavour].outFile = `${name}.wasm`;
  // A whole URL: copies of the module are in other folders, which no debugger knows.
  config.targets.debug.sourceMap = pathToFileURL(mapPath(name)).href;

  let binary: Uint8Array | undefined;
  let map: SourceMap | undefined;
  let messages = "";
  const output = { write: (text: Uint8Array | string) => void (messages += text.toString()) };
  const { error } = await asc.main(["--config", DERIVED_CONFIG, "--baseDir", root, "--target", flavour, "--debug"], {
    stdout: output,
    stderr: output,
    readFile(file, baseDir) {
      if (path.basename(file) === DERIVED_CONFIG) return JSON.stringify(config);
      const absolute = path.resolve(baseDir, file);
      if (!existsSync(absolute)) return null;
      return withConstants(edit(path.relative(root, absolute), readFileSync(absolute, "utf8")));
    },
    writeFile(_file, contents) {
      if (typeof contents !== "string") binary = contents;
      else map = JSON.parse(contents) as SourceMap;
    },
  });
  if (error !== null) throw new Error(`${entries[name]} does not compile\n${messages}`, { cause: error });
  if (messages !== "") process.stderr.write(messages);
  if (binary === undefined) throw new Error(`${entries[name]} compiled without an output of ${name}.wasm`);
  return { binary, ...(map !== undefined && { map }) };
}

/**
 * The source with constant blobs made at compile time, `literal("…")` and the rows `decision("…", "…", "…")` and
 * `jobState(…)` of assembly/trace/: static data instead of an allocation, a number instead of a global.
 */
function withConstants(source: string): string {
  return source
    .replace(/(?<=const \w+ = )literal\("([^"\\]*)"\)/g, (_, text: string) => blob(text))
    .replace(
      new RegExp(`(?<=const \\w+ = )${ROW_CALL.source}`, "g"),
      (_, _kind: string, name: string, numbers: string, sentence: string) => blob(`${name}(${numbers})${sentence}`),
    )
    .replace(
      new RegExp(`(?<=const \\w+ = )${RULE_CALL.source}`, "g"),
      (_, code: string, numbers: string, ...[sentence, fix, severity]: string[]) =>
        blob(`${code}(${numbers})${sentence}|${fix}|${severity === "warn" ? "" : severity}`),
    );
}

/** An expression of AssemblyScript for what `blobOf` of assembly/memory/blob.ts makes of these bytes. */
function blob(text: string): string {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return `memory.data<u8>([${[...length, ...Buffer.from(text, "latin1")].join()}], 4)`;
}

/** Exports the globals that change, and leaves all else as it is: function names stay, for stack traces. */
async function debuggable({ binary, map }: Compiled): Promise<{ binary: Uint8Array<ArrayBuffer>; map?: SourceMap }> {
  const { default: binaryen } = await import("binaryen");
  const module = binaryen.readBinary(binary);
  try {
    const text = module.emitText();
    const all = [...text.matchAll(/\n \(global \$(\S+) /g)].map(([, name]) => name!);
    const globals = globalsThatChange(text).map((name, i) => ({ name: `global:${i}`, index: all.indexOf(name) }));
    const exported = withGlobalExports(binary, globals);
    if (map === undefined) return { binary: exported.binary };
    return { binary: exported.binary, map: movedMap(map, exported.moved, pathToFileURL(`${root}/`).href) };
  } finally {
    module.dispose();
  }
}

/** Optimizes once more, and exports the globals that change. */
async function finish(compiled: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { default: binaryen } = await import("binaryen");
  const module = binaryen.readBinary(compiled);
  try {
    // The compiler has run these passes once. A second run still finds something, a third finds nothing. Static data
    // starts above the low memory. The limits for inlining give the smallest gzipped module, because repeated code
    // costs little.
    module.setFeatures(
      binaryen.Features.MutableGlobals |
        binaryen.Features.SignExt |
        binaryen.Features.BulkMemory |
        binaryen.Features.NontrappingFPToInt |
        binaryen.Features.SIMD128,
    );
    binaryen.setOptimizeLevel(2);
    binaryen.setShrinkLevel(1);
    binaryen.setLowMemoryUnused(true);
    binaryen.setAlwaysInlineMaxSize(4);
    binaryen.setFlexibleInlineMaxSize(20);
    binaryen.setOneCallerInlineMaxSize(-1);
    binaryen.clearPassArguments();
    binaryen.setDebugInfo(false);
    for (let run = 0; run < OPTIMIZER_RUNS; run++) module.optimize();
    globalsThatChange(module.emitText()).forEach((name, i) => module.addGlobalExport(name, `global:${i}`));
    return new Uint8Array(module.emitBinary());
  } finally {
    module.dispose();
  }
}

/**
 * The globals that something other than the start function sets, in the order of the module. The others have the same
 * values in every instance, because the start function depends on nothing: a save does not need them.
 * @param text - the module in the text format
 */
export function globalsThatChange(text: string): string[] {
  const start = /\n \(start (\S+)\)/.exec(text)?.[1];
  const setters = text.split(/\n (?=\(func )/).filter((part) => !part.startsWith(`(func ${start} `));
  const set = new Set(setters.flatMap((part) => [...part.matchAll(/\(global\.set \$(\S+)/g)].map(([, name]) => name!)));
  return [...text.matchAll(/\n \(global \$(\S+) \(mut /g)].map(([, name]) => name!).filter((name) => set.has(name));
}

/** The source files of a module, and the scripts that build it; relative to the root of the repository. */
export function sourcesOf(name: ModuleName): readonly string[] {
  const sources = readdirSync(path.join(root, "assembly"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join("assembly", file))
    .sort();
  return [
    ...sources,
    entries[name],
    CONFIG,
    "scripts/build-engine.ts",
    "scripts/debug-module.ts",
    "scripts/pack-text.ts",
    "scripts/wasm-sections.ts",
  ];
}

/** A hash of everything that the module is made from, the compiler's version and the flavour included. */
function hashOfSources(name: ModuleName, flavour: Flavour): string {
  const hash = createHash("sha256").update(`${compiler.version} ${flavour}\0`);
  for (const file of sourcesOf(name)) {
    const absolute = path.join(root, file);
    if (!existsSync(absolute)) throw new Error(`${file}, which build/${name}.wasm is made from, does not exist`);
    const contents = readFileSync(absolute);
    hash.update(`${file}\0${contents.length}\0`).update(contents);
  }
  return hash.digest("hex");
}

function embedInGo(): void {
  mkdirSync(path.dirname(GO_ENGINE), { recursive: true });
  writeWhole(GO_ENGINE, readFileSync(modulePath("engine")));
}

function writeWhole(file: string, contents: Uint8Array | string): void {
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, contents);
  renameSync(aside, file);
}

async function main(names: readonly string[]): Promise<void> {
  const known = Object.keys(entries) as ModuleName[];
  for (const name of names) {
    const found = known.find((entry) => entry === name);
    if (found === undefined) throw new Error(`"${name}" is no module to build; give ${known.join(" or ")}`);
    const info = await buildModule(found);
    console.log(
      `build/${found}.wasm  ${info.bytes} bytes  ${info.gzipBytes} gzipped  sha256 ${info.sha256.slice(0, 12)}`,
    );
    if (found === "engine") embedInGo();
  }
}

if (import.meta.main) {
  try {
    await main(process.argv.length > 2 ? process.argv.slice(2) : ["engine", "core"]);
  } catch (error) {
    // Print only the message. Node would print a megabyte of the compiler's bundled code around the error.
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
