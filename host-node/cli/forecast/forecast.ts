/**
 * `stint forecast`: what the Jobs of manifests will do, before they run: pods, retries, the end. Only the engine is
 * asked; nothing runs. With an outcome, each Job is simulated as a whole and shown beside its forecast.
 *
 * Invariant: input that cannot be read is reported with its place, and then nothing is forecast. Leaves out the rules
 * (bindings/ABI.md, "forecast").
 */
import type { Engine, Forecast } from "../../../bindings/js/engine.ts";
import { type Diagnostic, InputError } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { containersOf, outcomeFaults } from "../../../cluster/manifests/simulate-annotation.ts";
import { SIMULATE_ANNOTATION } from "../../../cluster/kubelet/simulation-outcome.ts";
import { createEngine } from "../../controller/job-controller.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { documentLine, head } from "../json/document.ts";
import type { ForecastReport, JobForecast } from "./document.ts";
import { forecastText } from "./picture.ts";
import { isAscii } from "./timeline.ts";
import { type ManifestSources, noteServerFields, passedOver, readManifests } from "../input/read-manifests.ts";
import { Refusals } from "../lint/refusals.ts";
import { targetsOf } from "../../lint/targets.ts";
import { styleFor } from "../../words/style.ts";
import { writeText } from "../output/wrapped.ts";

/** Columns, where no terminal says how many there are. */
const USUAL_COLUMNS = 80;

export interface DurationRange {
  readonly leastMs: number;
  readonly mostMs: number;
}

export interface ForecastOptions {
  readonly files: ManifestSources;
  /** Undefined: the duration of a pod is unknown. */
  readonly podDuration: DurationRange | undefined;
  readonly disruptions: number | undefined;
  readonly output: "text" | "json";
  /** What the pods do, in the schema of the annotation stint.dev/simulate, or `annotation`. Undefined: nothing runs. */
  readonly outcome: string | undefined;
  /** Draws the random parts of the outcome. */
  readonly seed: number;
  /** The address of a playground. */
  readonly playground: string | undefined;
  readonly version: string;
}

interface FoundJob {
  readonly name: string;
  readonly manifest: Manifest;
  readonly job: Fields;
}

type Fields = Readonly<Record<string, any>>;

/** The value that selects the outcome in each Job's own annotation. */
const OWN_OUTCOME = "annotation";

/** @returns the exit status. @throws InputError, UsageError for bad input */
export async function forecast(options: ForecastOptions, console: Console): Promise<number> {
  if (options.playground !== undefined && options.outcome === undefined)
    throw new UsageError("--playground opens a run, and none was asked for; give --outcome, too");
  const { manifests, mistakes: unread } = readManifests(options.files, false);
  const mistakes: Diagnostic[] = [...unread];
  noteServerFields(manifests, console);
  const targets = targetsOf(manifests);
  const found = targets.map(({ manifest, job }): FoundJob => ({ manifest, job, name: nameOf(manifest) }));
  const [first] = manifests;
  if (mistakes.length === 0 && found.length === 0 && first !== undefined)
    mistakes.push({ position: first.valueAt(""), message: "there is no Job here; a forecast needs one" });
  const engineModule = await loadEngineModule();
  const engine = await createEngine(engineModule);
  const refusals = new Refusals(engine);
  mistakes.push(...targets.flatMap((target) => refusals.of(target)));
  const tell = options.outcome === undefined ? tellForecast : await whatIf(engineModule.module, options);
  const told: Told[] = [];
  for (const each of mistakes.length > 0 ? [] : found) {
    try {
      told.push(await tell(engine, each, options, console));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      mistakes.push(...error.diagnostics);
    }
  }
  if (mistakes.length > 0) throw new InputError(mistakes);
  const others = passedOver(manifests, new Set(found.map(({ manifest }) => manifest)));
  const forecasts = told.map(({ json }) => json);
  if (options.output === "json")
    console.writeOut(
      documentLine({ ...head("ForecastReport"), forecasts, passedOver: others } satisfies ForecastReport),
    );
  else writeText(console, told.map(({ text }) => text()).join("\n"));
  if (others !== "") console.writeError(`passed over: ${others}\n`);
  return 0;
}

/** One Job in both forms. */
interface Told {
  readonly json: JobForecast;
  readonly text: () => string;
}

type Tell = (engine: Engine, found: FoundJob, options: ForecastOptions, console: Console) => Told | Promise<Told>;

const tellForecast: Tell = (engine, found, options, console) => {
  const { name } = found;
  const forecast = ask(engine, found, options);
  const calm = options.disruptions === undefined ? ask(engine, found, { ...options, disruptions: 0 }) : undefined;
  const style = styleFor(console.terminal !== undefined, console.environment);
  const beside = { calmPeak: calm?.peak, cleanPods: cleanPodsOf(found.job) };
  return {
    json: { job: name, ...forecast },
    text: () => forecastText(name, forecast, beside, style, columnsOf(console)),
  };
};

/** @throws UsageError when the address of the playground is none */
async function whatIf(engineModule: WebAssembly.Module, options: ForecastOptions): Promise<Tell> {
  const { playground, seed, version } = options;
  const base = playground === undefined ? undefined : addressOf(playground);
  // A forecast alone needs no cluster.
  const { rehearse } = await import("./rehearsal.ts");
  const { assumedFrom, whatIfJson, whatIfText } = await import("./what-if.ts");
  return async (engine, found, _options, console) => {
    const { name, job, manifest } = found;
    const outcome = outcomeOf(found, options.outcome!);
    const position = manifest.valueAt("");
    const rehearsal = await rehearse({ engineModule, engine, job, position, outcome, seed, version });
    const assumed = assumedFrom(rehearsal.observer, job);
    const forecast = ask(engine, found, options, assumed.assumptions);
    const link = `${base ?? ""}${rehearsal.fragment}`;
    const shown = {
      style: styleFor(console.terminal !== undefined, console.environment),
      columns: columnsOf(console),
      inAscii: isAscii(console.environment),
      assumed: options.podDuration === undefined ? assumed.text : "",
      link: base === undefined ? undefined : link,
    };
    return {
      json: { job: name, ...forecast, run: whatIfJson(forecast, rehearsal, outcome, link) },
      text: () => whatIfText(name, forecast, rehearsal, shown),
    };
  };
}

/** @throws UsageError, InputError when it is none */
function outcomeOf({ manifest, job, name }: FoundJob, given: string): string {
  const template: unknown = job["spec"]?.template;
  const { spec, metadata } = (template ?? {}) as Fields;
  const outcome: unknown = given === OWN_OUTCOME ? metadata?.annotations?.[SIMULATE_ANNOTATION] : given;
  if (typeof outcome !== "string")
    throw new UsageError(
      `--outcome is ${OWN_OUTCOME}, and the pod template of ${name} has no annotation ${SIMULATE_ANNOTATION}; give the outcome as JSON: --outcome '{"exitCode": 1}'`,
    );
  const faults = outcomeFaults(outcome, containersOf(spec));
  if (faults.length === 0) return outcome;
  const messages = faults.map(({ message }) => message);
  if (given !== OWN_OUTCOME) throw new UsageError(`--outcome: ${messages.join("; ")}`);
  const position = manifest.valueAt("");
  throw new InputError(messages.map((message) => ({ position, message: `${SIMULATE_ANNOTATION}: ${message}` })));
}

/** @throws UsageError */
function addressOf(playground: string): string {
  const url = URL.parse(playground);
  if (url === null || !["http:", "https:", "file:"].includes(url.protocol))
    throw new UsageError(
      `--playground is ${JSON.stringify(playground)}; allowed is the address of a playground, as npm run playground prints it: http://127.0.0.1:8080/`,
    );
  url.hash = "";
  return url.href;
}

const columnsOf = (console: Console): number => console.terminal?.().columns ?? USUAL_COLUMNS;

/**
 * @param assumed what is assumed unless an option says otherwise
 * @throws InputError when the Job cannot be read
 */
function ask(
  engine: Engine,
  { job, manifest }: FoundJob,
  { podDuration, disruptions }: ForecastOptions,
  assumed: object = {},
): Forecast {
  const assumptions = {
    ...assumed,
    ...(podDuration === undefined ? {} : { podMs: { least: podDuration.leastMs, most: podDuration.mostMs } }),
    ...(disruptions === undefined ? {} : { disruptions }),
  };
  try {
    return engine.forecast({ job, assumptions }, Date.now());
  } catch (error) {
    // The engine names a field by its place in the question.
    const message = (error as Error).message.replace(/^(the question cannot be read: )?job\./, "");
    const [field = ""] = /^spec[^\s:]*/.exec(message) ?? [];
    const place = manifest.object.kind === "CronJob" && field !== "" ? `spec.jobTemplate.${field}` : field;
    throw new InputError([{ position: manifest.valueAt(place), message }]);
  }
}

/** Undefined: a success policy decides, or no pod is created. */
function cleanPodsOf({ spec = {} }: Fields): number | undefined {
  const { completions, parallelism = 1, successPolicy } = spec as Fields;
  return successPolicy || !(parallelism > 0) ? undefined : (completions ?? parallelism);
}

function nameOf({ object: { metadata } }: Manifest): string {
  return metadata?.name ?? (metadata?.generateName === undefined ? "" : `${metadata.generateName}…`);
}
