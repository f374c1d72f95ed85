/** `stint lint --emit-policy`: the rules that CEL can say, as ValidatingAdmissionPolicies in YAML. */
import { stringify } from "yaml";
import { policiesOf, unsaidRules } from "./policy/policies.ts";
import { SETTINGS } from "../../lint/settings.ts";
import { readSettings } from "../../settings/read-settings.ts";
import { UsageError } from "../../usage-error.ts";
import { brokenLines } from "../../words/broken-lines.ts";
import type { Console } from "../console.ts";
import { readSettingsFile } from "../settings-file.ts";
import type { LintOptions } from "./lint.ts";

const COLUMNS = 110;

/** @returns the exit status. @throws UsageError if files are given, and for bad settings */
export function emitPolicy({ files, config, flags, version }: LintOptions, console: Console): number {
  if (files.length > 0) throw new UsageError(`--emit-policy reads no manifest; leave out ${files.join(", ")}`);
  const { settings } = readSettings(SETTINGS, {
    flags,
    environment: console.environment,
    file: readSettingsFile(config, console),
  });
  const policies = policiesOf(settings);
  if (policies.length === 0)
    throw new UsageError("no rule is left: --rule switches off each one that a policy can say");
  const documents = policies.map((policy) => stringify(policy, { lineWidth: COLUMNS }));
  console.writeOut(`${head(version)}${documents.join("---\n")}`);
  return 0;
}

function head(version: string): string {
  const lines = brokenLines(`Rules without an expression: ${unsaidRules.join(", ")}.`, COLUMNS);
  return [
    `The rules of stint lint that CEL can say, by Stint ${version}: kubectl apply -f FILE.`,
    "To limit them to some namespaces, add spec.matchResources.namespaceSelector to the bindings.",
    ...lines,
  ]
    .map((line) => `# ${line}\n`)
    .join("");
}
