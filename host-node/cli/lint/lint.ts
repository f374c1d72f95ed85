/**
 * `stint lint`: what is wrong with the Jobs of manifests, before anything is stored: what the API server would refuse,
 * and advice about the rest (docs/lint.md). It contacts no server and changes nothing.
 *
 * Invariant: input that cannot be read is reported on standard error with exit status 2, and is never passed over.
 */
import { diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import { createEngine } from "../../controller/job-controller.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { readSettings } from "../../settings/read-settings.ts";
import type { Console } from "../console.ts";
import { EXIT_BAD_INPUT } from "../exit-status.ts";
import {
  isJobMissing,
  type ManifestSources,
  noteServerFields,
  passedOver,
  readManifests,
} from "../input/read-manifests.ts";
import { type Finding, findingsOf, type Severity } from "../../lint/finding.ts";
import { ignoreCommentsOf } from "./ignore-comments.ts";
import { Refusals } from "./refusals.ts";
import { type LintFormat, reportOf } from "./report.ts";
import { SETTINGS } from "../../lint/settings.ts";
import { isSurrounding } from "../../manifests/surroundings.ts";
import { targetsOf } from "../../lint/targets.ts";
import { printable } from "../../words/printable.ts";
import { styleFor } from "../../words/style.ts";
import { writeText } from "../output/wrapped.ts";
import { readSettingsFile } from "../settings-file.ts";

const EXIT_GOOD = 0;
const EXIT_FOUND = 1;
/** The most findings that are shown. */
const MAX_FINDINGS = 10_000;

export interface LintOptions {
  readonly files: ManifestSources;
  /** Folders within folders, too. */
  readonly recursive: boolean;
  readonly output: LintFormat;
  /** Text has each finding, however many are alike. */
  readonly verbose: boolean;
  /** Documents that are no Kubernetes objects are skipped. */
  readonly skipOthers: boolean;
  /** Input without a Job is a mistake. */
  readonly requireJobs: boolean;
  readonly config: string | undefined;
  readonly flags: Readonly<Record<string, string>>;
  readonly version: string;
}

/** @returns the exit status. @throws UsageError for bad usage, and for files that cannot be opened */
export async function lint(options: LintOptions, console: Console): Promise<number> {
  const { settings } = readSettings(SETTINGS, {
    flags: options.flags,
    environment: console.environment,
    file: readSettingsFile(options.config, console),
  });
  const engine = await createEngine(await loadEngineModule());
  const refusals = new Refusals(engine, settings.kubernetes);
  const context = {
    ...(settings.managers === undefined ? {} : { managers: settings.managers }),
    ...(settings.gitOps ? { fromGitOps: true } : {}),
  };
  const isFailure = (severity: Severity): boolean => severity !== "warn" || settings.failOn === "warn";

  const { inputs, manifests, mistakes, others } = readManifests(options.files, options.recursive, options.skipOthers);
  const comments = new Map(inputs.map((input) => [input.file, ignoreCommentsOf(input)]));
  const targets = targetsOf(manifests);
  const findings: Finding[] = targets.flatMap((target) =>
    findingsOf(target, refusals.of(target), engine, context, settings.rule).filter(
      (finding) => !comments.get(finding.position.file)!.isIgnored(finding),
    ),
  );
  const said = new Set(manifests.map(({ wrongHead }) => wrongHead));
  const unread = [...mistakes, ...[...comments.values()].flatMap((each) => each.mistakes)].filter(
    (mistake) => !said.has(mistake),
  );
  const result = {
    findings: findings.slice(0, MAX_FINDINGS),
    targets,
    isFailure,
    version: options.version,
    passedOver: passedOver(
      manifests,
      new Set([...targets.map(({ manifest }) => manifest), ...manifests.filter(isSurrounding)]),
      others,
    ),
    unread,
    columns: console.terminal?.().columns ?? Infinity,
    isVerbose: options.verbose,
  };
  const style = styleFor(console.terminal !== undefined, console.environment);
  const report = reportOf(options.output, { ...result, left: findings.length - result.findings.length }, style);
  if (options.output === "text") writeText(console, report);
  else console.writeOut(report);
  noteServerFields(manifests, console);
  for (const mistake of unread) console.writeError(`${printable(diagnosticText(mistake))}\n`);
  if (unread.length > 0) return EXIT_BAD_INPUT;
  if (targets.length === 0 && isJobMissing(options.requireJobs, console)) return EXIT_BAD_INPUT;
  return findings.some(({ severity }) => isFailure(severity)) ? EXIT_FOUND : EXIT_GOOD;
}
