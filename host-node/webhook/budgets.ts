/**
 * What a Job may take at most, by its forecast.
 *
 * Invariant: a Job within its budgets cannot exceed them while Kubernetes keeps its rules. So the largest number of the
 * forecast counts, also where it is a bound that perhaps nothing reaches, and what has no limit is beyond every budget.
 * How long a pod takes is not assumed: only fields of the Job limit its time. An update is beyond a budget only if it
 * makes that worse.
 */
import type { Engine, Forecast, ForecastAmount } from "../../bindings/js/engine.ts";
import { formatSpan } from "../cli/duration.ts";
import type { Loose } from "../cli/lint/job-in.ts";
import type { Profile } from "./profile.ts";
import type { Finding } from "./findings.ts";
import type { Subject } from "./subject.ts";

const HOUR_MS = 3_600_000;
const MAX_INT32 = 2 ** 31 - 1;
/** Of a larger Job it is not said which value of a field would fit: some dozen forecasts are needed for that. */
const MAX_SEARCHED_CHARACTERS = 64 * 1024;
/** So often a value is looked for on a straight line; after that the middle is taken. */
const STRAIGHT_TRIES = 6;

interface Budget {
  readonly name: "maxPods" | "maxPodHours" | "maxDuration";
  amountOf(forecast: Forecast): ForecastAmount;
  /** In the unit of the amount. */
  limitOf(limit: number): number;
  /** `may run 60 pods` */
  readonly does: (amount: string) => string;
  /** `the time that this Job takes`, behind "nothing limits". */
  readonly open: (subject: string) => string;
  show(amount: number): string;
  /** Fields that may bring a Job under it, those first that take least from it. */
  readonly fields: readonly Field[];
}

interface Field {
  readonly path: string;
  readonly least: number;
  /** The largest value that may help if it is not set; undefined: then it cannot. */
  readonly unset?: number;
}

const BACKOFF_LIMIT: Field = { path: "spec.backoffLimit", least: 0, unset: 6 };
const PER_INDEX: Field = { path: "spec.backoffLimitPerIndex", least: 0 };
const DEADLINE: Field = { path: "spec.activeDeadlineSeconds", least: 1, unset: MAX_INT32 };
const COMPLETIONS: Field = { path: "spec.completions", least: 1 };
const PARALLELISM: Field = { path: "spec.parallelism", least: 1 };
const GRACE: Field = { path: "spec.template.spec.terminationGracePeriodSeconds", least: 0, unset: 30 };

const BUDGETS: readonly Budget[] = [
  {
    name: "maxPods",
    amountOf: ({ pods }) => pods.most,
    limitOf: (pods) => pods,
    does: (amount) => `may run ${amount}`,
    open: (subject) => `the pods of ${subject}`,
    show: (pods) => counted(pods, "pod"),
    fields: [PER_INDEX, BACKOFF_LIMIT, COMPLETIONS, PARALLELISM],
  },
  {
    name: "maxPodHours",
    amountOf: ({ podTime }) => podTime.mostMs,
    limitOf: (hours) => hours * HOUR_MS,
    does: (amount) => `may take ${amount}`,
    open: (subject) => `how long the pods of ${subject} take`,
    show: (ms) => counted(Math.ceil((ms / HOUR_MS) * 100) / 100, "pod hour"),
    fields: [DEADLINE, PARALLELISM, COMPLETIONS],
  },
  {
    name: "maxDuration",
    amountOf: ({ end }) => end.latestMs,
    limitOf: (ms) => ms,
    does: (amount) => `may take ${amount}`,
    open: (subject) => `how long ${subject} takes`,
    show: formatSpan,
    fields: [DEADLINE, GRACE],
  },
];

/** `1 pod`, `2 pods` */
export function counted(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}

/** The budgets that the Job is beyond. */
export function beyondBudgets(
  engine: Pick<Engine, "forecast">,
  { job, before, kind, fieldOf }: Subject,
  profile: Profile,
): Finding[] {
  const limited = BUDGETS.filter(({ name }) => profile[name] !== undefined);
  if (limited.length === 0) return [];
  const ask = (of: Loose): Forecast =>
    engine.forecast({ job: of, assumptions: { disruptions: profile.disruptions } }, 0);
  const told = ask(job);
  const toldBefore = before === undefined ? undefined : ask(before.job);
  return limited.flatMap((budget): Finding[] => {
    const limit = budget.limitOf(profile[budget.name]!);
    const amount = budget.amountOf(told);
    if (valueOf(amount) <= limit) return [];
    if (toldBefore !== undefined && valueOf(amount) <= valueOf(budget.amountOf(toldBefore))) return [];
    const remedy = remedyFor(job, budget, limit, (changed) => valueOf(budget.amountOf(ask(changed))));
    const subject = kind === "CronJob" ? "each Job of it" : "this Job";
    const what =
      amount.value === null
        ? `nothing limits ${budget.open(subject)}${byText(amount, fieldOf)}`
        : `${subject} ${budget.does(budget.show(amount.value))}`;
    const limitText = `the budget of this namespace is ${budget.show(limit)} (profile ${profile.name})`;
    const fits = remedy === undefined ? "" : `; with ${fieldOf(remedy.path)} ${remedy.value} it fits`;
    const field = fieldOf(remedy?.path ?? openField(amount) ?? "spec");
    return [{ rule: budget.name, action: profile.overBudget, field, sentence: `${what}; ${limitText}${fits}` }];
  });
}

function valueOf({ value }: ForecastAmount): number {
  return value ?? Infinity;
}

/** The field that takes the limit away, if it is one of the Job. */
function openField(amount: ForecastAmount): string | undefined {
  return amount.value === null && amount.is === "unbounded" ? amount.by : undefined;
}

function byText(amount: ForecastAmount, fieldOf: (path: string) => string): string {
  const field = openField(amount);
  return field === undefined ? "" : `, because of ${fieldOf(field)}`;
}

interface Remedy {
  readonly path: string;
  readonly value: number;
}

/** The first field that can bring the Job under the limit alone, with the largest value that does. */
function remedyFor(
  job: Loose,
  { fields }: Budget,
  limit: number,
  amountOf: (job: Loose) => number,
): Remedy | undefined {
  if (JSON.stringify(job).length > MAX_SEARCHED_CHARACTERS) return undefined;
  for (const { path, least, unset } of fields) {
    const names = path.split(".");
    const present: unknown = names.reduce<any>((at, name) => at?.[name], job);
    const most = typeof present === "number" ? Math.min(present, MAX_INT32) : unset;
    if (most === undefined || most < least) continue;
    const value = largestWithin(limit, least, most, (tried) => amountOf(withValue(job, names, tried)));
    if (value !== undefined) return { path, value };
  }
  return undefined;
}

/** Undefined: there is none. @param amountAt never falls, and mostly rises by the same */
function largestWithin(
  limit: number,
  least: number,
  most: number,
  amountAt: (value: number) => number,
): number | undefined {
  let [low, high] = [least, most];
  let [lowAmount, highAmount] = [amountAt(low), amountAt(high)];
  if (lowAmount > limit) return undefined;
  if (highAmount <= limit) return high;
  for (let tries = 0; high - low > 1; tries++) {
    const share =
      tries < STRAIGHT_TRIES && highAmount < Infinity ? (limit - lowAmount) / (highAmount - lowAmount) : 0.5;
    const value = Math.min(high - 1, Math.max(low + 1, low + Math.floor(share * (high - low))));
    const amount = amountAt(value);
    if (amount <= limit) [low, lowAmount] = [value, amount];
    else [high, highAmount] = [value, amount];
  }
  return low;
}

function withValue(object: Loose, [name = "", ...rest]: readonly string[], value: number): Loose {
  return { ...object, [name]: rest.length === 0 ? value : withValue(object[name] ?? {}, rest, value) };
}
