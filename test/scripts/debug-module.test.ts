/** A debug build is one that a debugger can step through: it stops at a line of the source that the map names. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { mapPath, moduleOf } from "../../scripts/build-engine.ts";
import { INTERVAL_SET_BYTES } from "../properties/leaves.ts";

const root = resolve(import.meta.dirname, "../..");
const SOURCE = "assembly/intervals/intervals.ts";
/** In the function `addRange`, which `setAdd` reaches by `add`. */
const STATEMENT = "if (first > end) {";

/** One debugger, attached to a program that has not begun. */
class Debugger {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: any) => void>();
  readonly #listeners = new Map<string, (params: any) => void>();
  #asked = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const { id, result, error, method, params } = JSON.parse(String(data));
      if (id === undefined) this.#listeners.get(method)?.(params);
      else this.#answers.get(id)?.(error ?? result);
    });
  }

  ask(method: string, params: object = {}): Promise<any> {
    const id = ++this.#asked;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  /** The next event of that name for which `isMeant` holds. */
  next(method: string, isMeant: (params: any) => boolean = () => true): Promise<any> {
    return new Promise((resolve) => {
      this.#listeners.set(method, (params) => {
        if (isMeant(params)) resolve(params);
      });
    });
  }
}

describe("a debug build", () => {
  let folder: string;
  let child: ChildProcess | undefined;
  let built: Awaited<ReturnType<typeof moduleOf>>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stint-debug-module-"));
    built = await moduleOf("leaves", "debug");
    writeFileSync(join(folder, "leaves.wasm"), built.binary);
    writeFileSync(
      join(folder, "program.mjs"),
      `import { readFileSync } from "node:fs";
       const bytes = readFileSync(new URL("leaves.wasm", import.meta.url));
       const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
       debugger;
       exports.setAdd(exports.allocate(${INTERVAL_SET_BYTES}), 7);
      `,
    );
  });
  afterAll(() => {
    child?.kill();
    rmSync(folder, { recursive: true });
  });

  async function attach(): Promise<Debugger> {
    child = spawn(process.execPath, ["--inspect-brk=127.0.0.1:0", join(folder, "program.mjs")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    for await (const line of createInterface({ input: child.stderr! })) {
      const url = /^Debugger listening on (ws:\S+)/.exec(line)?.[1];
      if (url === undefined) continue;
      const socket = new WebSocket(url);
      await new Promise((opened, failed) => socket.once("open", opened).once("error", failed));
      return new Debugger(socket);
    }
    throw new Error("the program ended before a debugger could attach");
  }

  it("names the files of the repository, and has the text of the compiler's own", () => {
    const { sources, sourceRoot, sourcesContent } = built.map as typeof built.map & { sourceRoot: string };
    expect(sources).toContain(SOURCE);
    expect(sourceRoot).toBe(pathToFileURL(`${root}/`).href);
    for (const [i, source] of sources.entries())
      expect(sourcesContent[i] === null, source).toBe(source.startsWith("assembly/") || source.startsWith("test/"));
  });

  it("stops at a line of the source, in the function that is there", async () => {
    const lines = readFileSync(join(root, SOURCE), "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes(STATEMENT));
    expect(line).toBeGreaterThan(0);

    const debug = await attach();
    const wasm = debug.next("Debugger.scriptParsed", ({ scriptLanguage }) => scriptLanguage === "WebAssembly");
    await debug.ask("Debugger.enable");
    const begun = debug.next("Debugger.paused");
    await debug.ask("Runtime.runIfWaitingForDebugger");
    await begun;
    const atStatement = debug.next("Debugger.paused");
    await debug.ask("Debugger.resume");
    const { scriptId, sourceMapURL } = await wasm;
    expect(sourceMapURL).toBe(pathToFileURL(mapPath("leaves")).href);
    await atStatement;

    const map = new SourceMap(built.map as never);
    const offset = Array.from({ length: built.binary.length }, (_, at) => at).find((at) => {
      const entry = map.findEntry(0, at) as { originalSource?: string; originalLine?: number };
      return entry.originalSource?.endsWith(SOURCE) && entry.originalLine === line;
    });
    const place = { scriptId, lineNumber: 0, columnNumber: offset };
    const { actualLocation } = await debug.ask("Debugger.setBreakpoint", { location: place });
    // A place between two instructions would be moved to the next one.
    expect(actualLocation).toEqual(place);
    const stopped = debug.next("Debugger.paused");
    await debug.ask("Debugger.resume");
    const { callFrames } = await stopped;
    expect(callFrames[0].location).toEqual(place);
    expect(callFrames.slice(0, 3).map(({ functionName }: { functionName: string }) => functionName)).toEqual([
      "$assembly/intervals/intervals/IntervalSet#addRange",
      "$assembly/intervals/intervals/IntervalSet#add",
      "$test/engine/leaves-entry/setAdd",
    ]);
  });
});
