/**
 * The settings of a profile: the table of host-node/settings/table.ts for one. Those of `stint lint` are among them.
 *
 * Leaves out how a profile is read: profile.ts.
 */
import { SETTINGS as LINT_SETTINGS } from "../lint/settings.ts";
import { duration, type Kind, number, optional } from "../settings/kinds.ts";
import { setting } from "../settings/table.ts";

const MAX_PODS = 1e9;
const MAX_DISRUPTIONS = 1e6;
const PLACES = ["warning", "annotation"] as const;
type Place = (typeof PLACES)[number];

/** The places of the forecast: `off`, or a list with commas. */
const places: Kind<readonly Place[]> = {
  placeholder: "places",
  isList: true,
  parse: (text) =>
    text === "off"
      ? []
      : text.split(",").map((part) => {
          const place = PLACES.find((known) => known === part.trim());
          if (place === undefined) throw new Error(`off, ${PLACES.join(", ")}, or both of them with a comma`);
          return place;
        }),
  show: (value) => (value.length === 0 ? "off" : value.join(",")),
};
const severity: Kind<"deny" | "warn"> = LINT_SETTINGS.failOn.kind;

const LINT = "Lint:";
const FORECAST = "Forecast:";
const BUDGETS = "Budgets:";

export const PROFILE_SETTINGS = {
  rule: setting(LINT, LINT_SETTINGS.rule.kind, {}, "of lint, off, warn or deny: [NoDeadline=deny]"),
  failOn: setting(LINT, severity, "deny", "warn: what a rule of lint warns of is denied, too"),
  managers: setting(LINT, LINT_SETTINGS.managers.kind, undefined, "values of managedBy that a controller answers to"),
  gitOps: setting(LINT, LINT_SETTINGS.gitOps.kind, false, "true: a GitOps tool keeps these Jobs"),
  forecast: setting(FORECAST, places, [], "what a Job will do: off, warning, annotation, or a list"),
  disruptions: setting(FORECAST, number(0, MAX_DISRUPTIONS, { isWhole: true }), 0, "how many evicted pods are counted"),
  maxPods: setting(BUDGETS, optional(number(0, MAX_PODS, { isWhole: true })), undefined, "pods of a Job, all together"),
  maxPodHours: setting(BUDGETS, optional(number(0, MAX_PODS, { isWhole: false })), undefined, "hours of all its pods"),
  maxDuration: setting(BUDGETS, optional(duration), undefined, "from its start to its end: 2h"),
  overBudget: setting(BUDGETS, severity, "deny", "warn: a Job beyond a budget is stored, with a warning"),
} as const;
