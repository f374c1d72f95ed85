/**
 * What a Job may take at most, by its forecast.
 *
 * Invariant: a Job within its budgets cannot exceed them while Kubernetes keeps its rules. So the largest number of the
 * forecast counts, even if it is a bound that no run may reach, and a number without a limit is beyond every budget.
 * How long a pod takes is not assumed: only fields of the Job limit its time. An update is beyond a budget only if it
 * makes that worse.
 */
import type { Forecast, ForecastAmount } from "../../bindings/js/engine.ts";
import { spanText } from "../../cluster/values/time-span.ts";
import type { Loose } from "../manifests/job-in.ts";
import { counted } from "../words/counted.ts";
import type { Profile } from "./profile.ts";
import { type Field, MAX_INT32, Remedies } from "./remedy.ts";
import type { Finding } from "./finding.ts";
import type { Forecasts } from "./forecasts.ts";
import type { Subject } from "./subject.ts";

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
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
  /** Fields that may bring a Job under it; those that reduce it least come first. */
  readonly fields: readonly Field[];
}

const BACKOFF_LIMIT: Field = { path: "spec.backoffLimit", least: 0, default: 6 };
const PER_INDEX: Field = { path: "spec.backoffLimitPerIndex", least: 0 };
const DEADLINE: Field = { path: "spec.activeDeadlineSeconds", least: 1, unset: MAX_INT32 };
const COMPLETIONS: Field = { path: "spec.completions", least: 1 };
const PARALLELISM: Field = { path: "spec.parallelism", least: 1 };
const GRACE: Field = { path: "spec.template.spec.terminationGracePeriodSeconds", least: 0, default: 30 };

// The largest effect on an amount when a field is one less.
const aPod = (): number => 1;
const aPodOfEachIndex = (_forecast: Forecast, { spec }: Loose): number => spec.completions;
// If the deadline cuts the pods, one completion less may save many.
const aCompletion = ({ pods }: Forecast, { spec }: Loose): number | undefined =>
  pods.most.is === "exact" ? 1 + (spec.backoffLimitPerIndex ?? 0) : undefined;
// Fewer places take longer, and a deadline may cut more.
const aQueuePlace = (_forecast: Forecast, { spec }: Loose): number | undefined =>
  spec.activeDeadlineSeconds === undefined ? 1 : undefined;
const aSecond = (): number => SECOND_MS;
// A bound may depend on the field itself.
const aSecondOfAllPods = ({ peak }: Forecast): number | undefined =>
  peak.is === "exact" ? peak.value * SECOND_MS : undefined;
const aPlace = ({ peak, podTime }: Forecast): number | undefined =>
  peak.is === "exact" && podTime.mostMs.value !== null ? podTime.mostMs.value / peak.value : undefined;

const BUDGETS: readonly Budget[] = [
  {
    name: "maxPods",
    amountOf: ({ pods }) => pods.most,
    limitOf: (pods) => pods,
    does: (amount) => `may run ${amount}`,
    open: (subject) => `the pods of ${subject}`,
    show: (pods) => counted(pods, "pod"),
    fields: [
      { ...PER_INDEX, takes: aPodOfEachIndex },
      { ...BACKOFF_LIMIT, takes: aPod },
      { ...COMPLETIONS, takes: aCompletion },
      { ...PARALLELISM, takes: aQueuePlace },
    ],
  },
  {
    name: "maxPodHours",
    amountOf: ({ podTime }) => podTime.mostMs,
    limitOf: (hours) => hours * HOUR_MS,
    does: (amount) => `may take ${amount}`,
    open: (subject) => `how long the pods of ${subject} take`,
    show: (ms) => counted(Math.ceil((ms / HOUR_MS) * 100) / 100, "pod hour"),
    fields: [
      { ...DEADLINE, takes: aSecondOfAllPods },
      { ...PARALLELISM, takes: aPlace },
      { ...COMPLETIONS, takes: aPlace },
    ],
  },
  {
    name: "maxDuration",
    amountOf: ({ end }) => end.latestMs,
    limitOf: (ms) => ms,
    does: (amount) => `may take ${amount}`,
    open: (subject) => `how long ${subject} takes`,
    show: spanText,
    fields: [
      { ...DEADLINE, takes: aSecond },
      { ...GRACE, takes: aSecond },
    ],
  },
];

/** The budgets that the Job exceeds. */
export function beyondBudgets(
  forecasts: Forecasts,
  { job, before, kind, fieldOf }: Subject,
  profile: Profile,
): Finding[] {
  const limited = BUDGETS.filter(({ name }) => profile[name] !== undefined);
  if (limited.length === 0) return [];
  const told = forecasts.of(job);
  const toldBefore = before === undefined ? undefined : forecasts.of(before.job);
  const remedies = new Remedies(forecasts, job, before?.job);
  const beyond = limited.flatMap((budget) => {
    const limit = budget.limitOf(profile[budget.name]!);
    const amount = budget.amountOf(told);
    const amountBefore = toldBefore === undefined ? -1 : valueOf(budget.amountOf(toldBefore));
    if (valueOf(amount) <= Math.max(limit, amountBefore)) return [];
    const remedy = remedies.under({
      fields: budget.fields,
      limit,
      amountOf: (forecast) => valueOf(budget.amountOf(forecast)),
    });
    return [{ budget, limit, amount, remedy }];
  });
  const subject = kind === "CronJob" ? "each Job of it" : "this Job";
  return beyond.map(({ budget, limit, amount, remedy }): Finding => {
    const what =
      amount.value === null
        ? `nothing limits ${budget.open(subject)}${byText(amount, fieldOf)}`
        : `${subject} ${budget.does(budget.show(amount.value))}`;
    const limitText = `the budget of this namespace is ${budget.show(limit)} (profile ${profile.name})`;
    // Two budgets may need the same field: the smaller value fits both.
    const values = beyond.flatMap((other) => (other.remedy?.path === remedy?.path ? (other.remedy?.value ?? []) : []));
    const fits = remedy === undefined ? "" : `; with ${fieldOf(remedy.path)} ${Math.min(...values)} it fits`;
    const field = fieldOf(remedy?.path ?? openField(amount) ?? "spec");
    return { rule: budget.name, action: profile.overBudget, field, sentence: `${what}; ${limitText}${fits}` };
  });
}

function valueOf({ value }: ForecastAmount): number {
  return value ?? Infinity;
}

/** The field that makes the amount unlimited, if it is one of the Job. */
function openField(amount: ForecastAmount): string | undefined {
  return amount.value === null && amount.is === "unbounded" ? amount.by : undefined;
}

function byText(amount: ForecastAmount, fieldOf: (path: string) => string): string {
  const field = openField(amount);
  return field === undefined ? "" : `, because of ${fieldOf(field)}`;
}
