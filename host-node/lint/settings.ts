/** The settings of `stint lint`. */
import { LintCode } from "../../bindings/js/abi.ts";
import type { LintQuestion } from "../../bindings/js/engine.ts";
import { similarNames } from "../../cluster/values/similar-names.ts";
import { SERVED_KUBERNETES, SERVED_VERSIONS } from "../../cluster/values/kubernetes-versions.ts";
import { boolean, type Kind, oneOf } from "../settings/kinds.ts";
import { setting } from "../settings/table.ts";

export type RuleSettings = NonNullable<LintQuestion["rules"]>;

const CODES: readonly string[] = Object.values(LintCode);
const SEVERITIES: readonly string[] = ["off", "warn", "deny"];
const FORM = "CODE=off, CODE=warn or CODE=deny, and several with commas";

const rules: Kind<RuleSettings> = {
  placeholder: "rules",
  isList: true,
  parse: (text) => {
    const severities = new Map<string, string>();
    for (const part of text.split(",")) {
      const [code = "", severity = "", ...others] = part.trim().split("=");
      if (others.length > 0 || !SEVERITIES.includes(severity)) throw new Error(FORM);
      if (!CODES.includes(code)) {
        const [similar] = similarNames(code, CODES);
        throw new Error(
          `${FORM}; no rule has the code ${code}${similar === undefined ? "" : `, but ${similar} is one`}`,
        );
      }
      const before = severities.get(code) ?? severity;
      if (before !== severity)
        throw new Error(`${FORM}, with one severity a rule: ${code} is ${before} and ${severity}`);
      severities.set(code, severity);
    }
    return Object.fromEntries(severities) as RuleSettings;
  },
  show: (value) =>
    Object.entries(value)
      .map(([code, severity]) => `${code}=${severity}`)
      .join(","),
};
const failOn: Kind<"deny" | "warn"> = {
  placeholder: "severity",
  parse: (text) => {
    if (text !== "deny" && text !== "warn") throw new Error("deny or warn");
    return text;
  },
  show: String,
};
const managers: Kind<readonly string[] | undefined> = {
  placeholder: "names",
  isList: true,
  parse: (text) =>
    text
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  show: (names) => names?.join(",") ?? "",
};

export const SETTINGS = {
  rule: setting("Rules:", rules, {}, "severity of rules, by their codes: NoDeadline=off,LegacySidecar=deny"),
  failOn: setting("Rules:", failOn, "deny", "the severity from which on the exit status is 1"),
  managers: setting(
    "What is known:",
    managers,
    undefined,
    "the values of spec.managedBy that a controller answers to, with commas",
  ),
  kubernetes: setting(
    "What is known:",
    oneOf("version", SERVED_VERSIONS),
    SERVED_KUBERNETES,
    `refuse what this version of Kubernetes refuses: one of ${SERVED_VERSIONS.join(", ")}`,
  ),
  gitOps: setting("What is known:", boolean, false, "a GitOps tool keeps these Jobs as the files say"),
} as const;
