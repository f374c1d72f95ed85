/**
 * `stint forecast`: what the Jobs of manifests will do, before they run: pods, retries, the end. It asks the engine,
 * and nobody else; nothing runs.
 *
 * Invariant: what cannot be read is told with its place, and then nothing is forecast. Leaves out the rules
 * (bindings/ABI.md, "forecast").
 */
import type { Engine, Forecast } from "../../bindings/js/engine.ts";
import { type Diagnostic, InputError } from "../../cluster/manifests/diagnostic.ts";
import { type Manifest, parseManifests } from "../../cluster/manifests/manifests.ts";
import { readYaml } from "../../cluster/manifests/yaml-library.ts";
import { createEngine } from "../controller/job-controller.ts";
import { loadEngineModule } from "../engine-module.ts";
import type { Console } from "./console.ts";
import { forecastText } from "./forecast/picture.ts";
import { inputFiles } from "./input/input-files.ts";
import { readInput } from "./input/read-input.ts";
import { styleFor } from "./output/style.ts";

/** Columns, where no terminal says how many there are. */
const USUAL_COLUMNS = 80;

export interface DurationRange {
  readonly leastMs: number;
  readonly mostMs: number;
}

export interface ForecastOptions {
  /** Files, folders, and - for standard input. */
  readonly files: readonly string[];
  /** Undefined: it is not known how long a pod takes. */
  readonly podDuration: DurationRange | undefined;
  readonly disruptions: number | undefined;
  readonly output: "text" | "json";
}

interface ForecastJob {
  readonly name: string;
  readonly forecast: Forecast;
}

/** @returns the exit status. @throws InputError, UsageError for bad input */
export async function forecast(options: ForecastOptions, console: Console): Promise<number> {
  const parsed = inputFiles(options.files, false).map((path) => parseManifests(readInput(path), readYaml));
  const mistakes: Diagnostic[] = parsed.flatMap(({ diagnostics }) => diagnostics);
  const manifests = parsed.flatMap((input) => input.manifests);
  const found = manifests.flatMap((manifest) => {
    const job = jobIn(manifest);
    return job === undefined ? [] : [{ manifest, job }];
  });
  const [first] = manifests;
  if (mistakes.length === 0 && found.length === 0 && first !== undefined)
    mistakes.push({ position: first.valueAt(""), message: "there is no Job here; a forecast needs one" });
  const engine = await createEngine(await loadEngineModule());
  const jobs: ForecastJob[] = [];
  for (const { manifest, job } of found) {
    try {
      jobs.push({ name: nameOf(manifest), forecast: ask(engine, job, options) });
    } catch (error) {
      mistakes.push({ position: manifest.valueAt(""), message: (error as Error).message });
    }
  }
  if (mistakes.length > 0) throw new InputError(mistakes);
  const style = styleFor(console.terminal !== undefined, console.environment);
  const columns = console.terminal?.().columns ?? USUAL_COLUMNS;
  for (const [i, { name, forecast: told }] of jobs.entries()) {
    if (options.output === "json") console.writeOut(`${JSON.stringify({ job: name, ...told })}\n`);
    else console.writeOut(`${i > 0 ? "\n" : ""}${forecastText(name, told, style, columns)}`);
  }
  return 0;
}

function ask(engine: Engine, job: object, { podDuration, disruptions }: ForecastOptions): Forecast {
  const assumptions = {
    ...(podDuration === undefined ? {} : { podMs: { least: podDuration.leastMs, most: podDuration.mostMs } }),
    ...(disruptions === undefined ? {} : { disruptions }),
  };
  return engine.forecast({ job, assumptions }, Date.now());
}

/** The Job of a manifest, or what its CronJob makes. */
function jobIn({ object }: Manifest): object | undefined {
  if (object.kind === "Job") return object;
  if (object.kind !== "CronJob") return undefined;
  const template: unknown = object["spec"]?.jobTemplate;
  return typeof template === "object" && template !== null ? { ...template, kind: "Job" } : undefined;
}

function nameOf({ object: { metadata } }: Manifest): string {
  return metadata?.name ?? (metadata?.generateName === undefined ? "" : `${metadata.generateName}…`);
}
