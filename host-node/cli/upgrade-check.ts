/**
 * `stint upgrade-check`: which Jobs behave differently on another version of Kubernetes, and why: those of manifests,
 * or those of a cluster. The table behind it is upgrade-check/changes.ts; docs/upgrade-check.md explains each change.
 *
 * Invariant: it only reads. What cannot be read is told with exit status 2, and is never passed over.
 */
import { type Diagnostic, diagnosticText } from "../../cluster/manifests/diagnostic.ts";
import { type Manifest, parseManifests } from "../../cluster/manifests/manifests.ts";
import { readYaml } from "../../cluster/manifests/yaml-library.ts";
import { RealClock } from "../clock.ts";
import { UsageError } from "../usage-error.ts";
import { type ClusterChoice, kubeconfigFor, loadCredentials, named } from "./cluster-access.ts";
import type { Console } from "./console.ts";
import { EXIT_BAD_INPUT } from "./exit-status.ts";
import { inputFiles } from "./input/input-files.ts";
import { readInput } from "./input/read-input.ts";
import { targetsOf } from "./lint/targets.ts";
import { printable } from "./output/printable.ts";
import { styleFor } from "./output/style.ts";
import { changesBetween } from "./upgrade-check/changes.ts";
import { jobsOf, serverVersion } from "./upgrade-check/cluster-jobs.ts";
import { type CheckedJob, findingsOf } from "./upgrade-check/finding.ts";
import { reportOf, type UpgradeFormat } from "./upgrade-check/report.ts";
import {
  isBefore,
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
  kubernetesVersionOf,
} from "./upgrade-check/versions.ts";
import { ApiReader } from "./why/api-reader.ts";

const EXIT_GOOD = 0;
const EXIT_FOUND = 1;
/** The most findings that are shown. */
const MAX_FINDINGS = 10_000;

export interface UpgradeCheckOptions extends ClusterChoice {
  /** Files, folders, and - for standard input. None: the cluster. */
  readonly files: readonly string[];
  /** Folders within folders, too. */
  readonly recursive: boolean;
  /** Undefined: that of the cluster. */
  readonly from: string | undefined;
  readonly to: string;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly output: UpgradeFormat;
}

interface Checked {
  readonly from: string;
  readonly jobs: readonly CheckedJob[];
  readonly mistakes: readonly Diagnostic[];
}

/** @returns the exit status. @throws UsageError for bad usage, and for files and clusters that cannot be read */
export async function upgradeCheck(options: UpgradeCheckOptions, console: Console): Promise<number> {
  const to = versionOf("--to", options.to);
  const checked = options.files.length > 0 ? fromFiles(options) : await fromCluster(options, console);
  const from = versionOf(options.from === undefined ? "the cluster's version" : "--from", checked.from);
  if (!isBefore(from, to))
    throw new UsageError(`an upgrade goes to a later version; this one goes from ${from} to ${to}`);
  const findings = findingsOf(checked.jobs, changesBetween(from, to));
  const shown = findings.slice(0, MAX_FINDINGS);
  const result = { findings: shown, left: findings.length - shown.length, jobs: checked.jobs.length, from, to };
  const style = styleFor(console.terminal !== undefined, console.environment);
  console.writeOut(reportOf(options.output, result, style));
  for (const mistake of checked.mistakes) console.writeError(`${printable(diagnosticText(mistake))}\n`);
  if (checked.mistakes.length > 0) return EXIT_BAD_INPUT;
  return findings.length > 0 ? EXIT_FOUND : EXIT_GOOD;
}

function versionOf(what: string, text: string): KubernetesVersion {
  const version = kubernetesVersionOf(text);
  if (version === undefined)
    throw new UsageError(`${what} is ${JSON.stringify(text)}; allowed are ${KUBERNETES_VERSIONS.join(", ")}`);
  return version;
}

function fromFiles({ files, recursive, from, namespace, kubeconfig, context }: UpgradeCheckOptions): Checked {
  if ((namespace ?? kubeconfig ?? context) !== undefined)
    throw new UsageError("files were named, and a cluster too; leave out the files, or -n, --kubeconfig and --context");
  if (from === undefined)
    throw new UsageError("files say nothing of the present version of Kubernetes; give it with --from 1.34");
  const mistakes: Diagnostic[] = [];
  const manifests: Manifest[] = [];
  for (const path of inputFiles(files, recursive)) {
    const parsed = parseManifests(readInput(path), readYaml);
    mistakes.push(...parsed.diagnostics);
    manifests.push(...parsed.manifests);
  }
  const jobs = targetsOf(manifests).map((target) => ({
    ...target,
    positionOf: (field: string) => target.manifest.nameAt(field),
  }));
  return { from, jobs, mistakes };
}

async function fromCluster(options: UpgradeCheckOptions, console: Console): Promise<Checked> {
  const namespace = options.namespace === undefined ? undefined : named("the namespace", options.namespace);
  const reader = new ApiReader(loadCredentials(options, kubeconfigFor(options, console), console), new RealClock());
  try {
    const from = options.from ?? (await serverVersion(reader));
    return { from, jobs: await jobsOf(reader, namespace), mistakes: [] };
  } finally {
    await reader.close();
  }
}
