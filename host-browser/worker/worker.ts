/**
 * The Worker's entry: messages in, messages out, and the wall clock. Leaves out everything that they mean (session.ts).
 */
import { History } from "../history/history.ts";
import type * as YamlLibrary from "../../cluster/yaml/yaml-library.ts";
import { Engine } from "../../bindings/js/engine.ts";
import type { Command, EngineFile, FetchTheRest, Notice, Query } from "../messages.ts";
import type * as RecordedRuns from "../share/recorded-run.ts";
import { Lazy } from "./lazy.ts";
import type * as Looks from "./looks.ts";
import type { Wall } from "./player.ts";
import { preparedDocuments, type PreparedYaml } from "./prepared-yaml.ts";
import { Session, type WholeEngine } from "./session.ts";

/** The manifest of the first picture, and the engine's version; scripts/build-playground.ts puts both here. */
declare const FIRST_MANIFEST: PreparedYaml;
/** The rest of the first scenario, as JSON. */
declare const FIRST_WORLD: string;
declare const ENGINE_VERSION: string;

/**
 * The part of a Worker's global scope that is used here. It is declared because the DOM types, which the page needs,
 * describe a window.
 */
interface WorkerScope {
  postMessage(notice: Notice, transfer: ArrayBuffer[]): void;
  addEventListener(
    type: "message",
    listener: (event: { readonly data: Command | EngineFile | FetchTheRest }) => void,
  ): void;
}
const scope = globalThis as unknown as WorkerScope;

function wall(): Wall {
  // A timer without delay waits some milliseconds when it sets itself again; a message to the same thread does not.
  const { port1, port2 } = new MessageChannel();
  const waiting: { callback: () => void; isCancelled: boolean }[] = [];
  port1.onmessage = () => {
    const next = waiting.shift()!;
    if (!next.isCancelled) next.callback();
  };
  return {
    now: () => performance.now(),
    schedule(delayMs, callback) {
      if (delayMs > 0) {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      }
      const entry = { callback, isCancelled: false };
      waiting.push(entry);
      port2.postMessage(undefined);
      return () => {
        entry.isCancelled = true;
      };
    },
  };
}

/** Commands that came before the engine. */
const early: Command[] = [];
let obey = (command: Command): void => void early.push(command);
scope.addEventListener("message", ({ data }) => {
  if (data.kind === "engine") begin(data);
  else if (data.kind === "fetch-the-rest") void fetchTheRest();
  else obey(data);
});

/** Loads a file beside this one. Its name is no literal, so the bundler keeps it a separate file. */
async function load(file: string): Promise<any> {
  try {
    const there =
      loaded.get(file) ?? (await import(new URL(failures === 0 ? file : `${file}?${failures}`, import.meta.url).href));
    loaded.set(file, there);
    return there;
  } catch (error) {
    // Some browsers remember that an address could not be loaded.
    failures++;
    throw error;
  }
}
const loaded = new Map<string, unknown>();
let failures = 0;

/** The code that answers looks, and the whole engine. It is loaded after the first picture, which does not need it. */
const looks = new Lazy<typeof Looks>(() => load("looks.js"));

async function loadWholeEngine(): Promise<WholeEngine> {
  if (looks.value === undefined) await looks.load();
  return looks.value!.loadWholeEngine();
}

/** Undefined: the look, or without a query any look, can be answered now. */
function prepareLook(query?: Query): Promise<void> | undefined {
  const prepare = (): Promise<void> | undefined => looks.value!.prepareLook(query, Engine);
  return looks.value === undefined ? looks.load().then(prepare) : prepare();
}

/** Fetches what later commands may need, so that they work without a network. A failed fetch is retried on use. */
async function fetchTheRest(): Promise<void> {
  const files = ["yaml-library.js", "lazy-parts.js", "recorded-run.js"];
  await Promise.allSettled([...files.map(load), loadWholeEngine()]);
}

function begin({ module }: EngineFile): void {
  const session = new Session({
    engineModule: module,
    wall: wall(),
    createRecorder: (startMs, { yaml }, readYaml) =>
      new History({ startMs, yaml, readYaml, viewAt: (history, query) => looks.value!.viewAt(history, query) }),
    prepareLook,
    isKnown: ({ yaml, ...world }) => yaml === FIRST_MANIFEST.text && JSON.stringify(world) === FIRST_WORLD,
    preparedYaml: (text) => preparedDocuments(FIRST_MANIFEST, text),
    loadYamlLibrary: async () => ((await load("yaml-library.js")) as typeof YamlLibrary).readYaml,
    loadLazyParts: () => load("lazy-parts.js"),
    loadRecordedRun: async () => ((await load("recorded-run.js")) as typeof RecordedRuns).RecordedRun,
    loadWholeEngine,
    loadDoor: () => load("door.js"),
    post: (notice, transfer) => scope.postMessage(notice, transfer),
  });
  scope.postMessage({ kind: "ready", engineVersion: ENGINE_VERSION }, []);
  obey = (command) => session.obey(command);
  early.forEach(obey);
}
