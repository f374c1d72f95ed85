/** The tools that need no cluster: forecast, lint, explain. Each calls what the command of its name calls. */
import { InvalidArgumentError } from "commander";
import { UsageError } from "../../usage-error.ts";
import { asDurationRange } from "../options/parsers.ts";
import type { ForecastReport, JobForecast } from "../forecast/document.ts";
import type { DurationRange } from "../forecast/forecast.ts";
import { CallConsole } from "./call-console.ts";
import { MANIFEST, sourceOf } from "./manifest.ts";
import { text, type Tool, type ToolOptions } from "./tool.ts";

const MAX_COUNT = 999_999_999;
const MAX_OUTCOME_LENGTH = 64 * 1024;
/** A second of processor time. */
const MAX_SIMULATED_PODS = 1000;
/** Pods of a run that an answer has one by one. */
const MAX_TIMELINE = 100;

const FORECAST = `Says what the Jobs of a manifest will do before they run: how many pods, how many at once, retries and
when it gives up, earliest and latest end. The numbers follow from Kubernetes' rules; nothing runs. Use it to size a Job,
or to see what backoffLimit, deadlines and policies really mean. With outcome each Job is simulated whole, with pods that
do what it says, at most 1000; its timeline has the first 100 pods, and omitted the number of the others. Whether the manifest is right says lint.`;
const LINT = `Says what is wrong with Jobs and CronJobs of a manifest: what the API server would refuse (error Refused),
then advice with a fix. Use it on every manifest of Jobs that you write or change, before anybody applies it. It asks no
cluster.`;
const EXPLAIN = `Says what a code means and what to do: the code of a decision that why shows (Backoff, Creating), or of a
rule that lint shows (NoDeadline). Without a code it lists all.`;

interface ForecastInput {
  readonly manifest: string;
  readonly podDuration?: string;
  readonly disruptions?: number;
  readonly outcome?: string;
}
interface LintInput {
  readonly manifest: string;
  readonly kubernetes?: string;
}
interface ExplainInput {
  readonly code?: string;
}

export function manifestTools(options: ToolOptions): readonly Tool[] {
  return [forecastTool(options), lintTool(options), explainTool];
}

function forecastTool({ version }: ToolOptions): Tool {
  return {
    name: "forecast",
    title: "What a Job will do before it runs",
    description: FORECAST,
    properties: {
      manifest: MANIFEST,
      podDuration: text("how long a pod takes: 10m, or 5m..20m; without it no end is known", { maxLength: 64 }),
      disruptions: { type: "integer", minimum: 0, maximum: MAX_COUNT, description: "how many pods are evicted" },
      outcome: text('what its pods do, as JSON: {"exitCodes": [1, 1, 0], "runMs": 30000}; or the word annotation', {
        maxLength: MAX_OUTCOME_LENGTH,
      }),
    },
    required: ["manifest"],
    asksCluster: false,
    structure: {
      kinds: ["ForecastReport"],
      lists: ["forecasts"],
      of: ([report]) => ({ ...report, forecasts: forecastsIn(report!).map(withShortRun) }),
    },
    run: async ({ manifest, podDuration, disruptions, outcome }: ForecastInput, console) => {
      const { forecast } = await import("../forecast/forecast.ts");
      const assumed = { podDuration: podDuration === undefined ? undefined : rangeOf(podDuration), disruptions };
      const form = { output: "json", seed: 1, playground: undefined, version } as const;
      const asked = { files: [sourceOf(manifest)], ...assumed, ...form };
      if (outcome !== undefined) {
        const before = new CallConsole(console);
        await forecast({ ...asked, outcome: undefined }, before);
        checkSimulated(forecastsIn(before.lines[0]!));
      }
      return forecast({ ...asked, outcome }, console);
    },
  };
}

function lintTool({ version }: ToolOptions): Tool {
  return {
    name: "lint",
    title: "What is wrong with a manifest",
    description: LINT,
    properties: {
      manifest: MANIFEST,
      kubernetes: text("the version of the API server: 1.34; else the newest", { maxLength: 16 }),
    },
    required: ["manifest"],
    asksCluster: false,
    structure: { kinds: ["LintReport"], lists: ["findings"], of: ([report]) => report! },
    run: async ({ manifest, kubernetes }: LintInput, console) => {
      const { lint } = await import("../lint/lint.ts");
      const settings = { config: undefined, flags: kubernetes === undefined ? {} : { kubernetes } };
      const form = { recursive: false, skipOthers: false, output: "json", verbose: false, requireJobs: true } as const;
      return lint({ files: [sourceOf(manifest)], ...settings, ...form, version }, console);
    },
  };
}

const explainTool: Tool = {
  name: "explain",
  title: "What a code means",
  description: EXPLAIN,
  properties: { code: text("the code; without it: all codes", { maxLength: 64 }) },
  required: [],
  asksCluster: false,
  run: async ({ code }: ExplainInput, console) => {
    const { explainCode } = await import("../explain/explain-code.ts");
    return explainCode(code, console);
  },
};

const forecastsIn = (report: object): readonly JobForecast[] => (report as ForecastReport).forecasts;

/** The server answers nothing else during a simulation. @throws UsageError when it would take long */
function checkSimulated(forecasts: readonly JobForecast[]): void {
  const most = forecasts.reduce((sum, { pods }) => sum + (pods.most.value ?? Infinity), 0);
  if (most > MAX_SIMULATED_PODS)
    throw new UsageError(
      `with outcome there may be ${most === Infinity ? "any number of" : most} pods; allowed are ${MAX_SIMULATED_PODS}: lower completions or a limit of retries, or give disruptions`,
    );
}

/** Without the link to a playground, which has no address here. */
function withShortRun({ run, ...forecast }: JobForecast): JobForecast {
  if (run === undefined) return forecast;
  const { playground: _, timeline, ...rest } = run;
  const omitted = Math.max(0, timeline.length - MAX_TIMELINE);
  return { ...forecast, run: { ...rest, timeline: timeline.slice(0, MAX_TIMELINE), omitted } };
}

/** @throws UsageError */
function rangeOf(given: string): DurationRange {
  try {
    return asDurationRange(given);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(`podDuration is ${JSON.stringify(given)}; ${error.message}`);
  }
}
