/**
 * `stint upgrade-check`: which Jobs behave differently on another version of Kubernetes, and why: those of manifests,
 * or those of a cluster. The table behind it is upgrade-check/changes.ts; docs/upgrade-check.md explains each change.
 *
 * Invariant: it only reads. Input that cannot be read is reported with exit status 2, and is never passed over.
 */
import { type Diagnostic, diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import { RealClock } from "../../clock.ts";
import { UsageError } from "../../usage-error.ts";
import { type ClusterChoice, kubeconfigFor, loadCredentials, named } from "../cluster-access.ts";
import type { Console } from "../console.ts";
import { EXIT_BAD_INPUT } from "../exit-status.ts";
import {
  isJobMissing,
  type ManifestSources,
  noteServerFields,
  passedOver,
  readManifests,
} from "../input/read-manifests.ts";
import { targetsOf } from "../../lint/targets.ts";
import { printable } from "../../words/printable.ts";
import { styleFor } from "../../words/style.ts";
import { writeText } from "../output/wrapped.ts";
import { changesBetween } from "./changes.ts";
import { jobsOf, serverVersion } from "./cluster-jobs.ts";
import { type CheckedJob, findingsOf } from "./finding.ts";
import { reportOf, type UpgradeFormat } from "./report.ts";
import {
  isBefore,
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
  kubernetesVersionOf,
} from "../../../cluster/values/kubernetes-versions.ts";
import { ApiReader } from "../why/api-reader.ts";

const EXIT_GOOD = 0;
const EXIT_FOUND = 1;
/** The most findings that are shown. */
const MAX_FINDINGS = 10_000;

export interface UpgradeCheckOptions extends ClusterChoice {
  /** None: the cluster. */
  readonly files: ManifestSources;
  /** Folders within folders, too. */
  readonly recursive: boolean;
  /** Undefined: that of the cluster. */
  readonly from: string | undefined;
  readonly to: string;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly output: UpgradeFormat;
  /** Text has each finding, however many are alike. */
  readonly verbose: boolean;
  /** Files without a Job are a mistake. */
  readonly requireJobs: boolean;
}

interface Checked {
  readonly from: string;
  readonly jobs: readonly CheckedJob[];
  readonly mistakes: readonly Diagnostic[];
  /** Objects of other kinds, counted. */
  readonly passedOver: string;
}

/** @returns the exit status. @throws UsageError for bad usage, and for files and clusters that cannot be read */
export async function upgradeCheck(options: UpgradeCheckOptions, console: Console): Promise<number> {
  const to = versionOf("--to", options.to);
  const checked = options.files.length > 0 ? fromFiles(options, console) : await fromCluster(options, console);
  const from = versionOf(options.from === undefined ? "the cluster's version" : "--from", checked.from);
  if (!isBefore(from, to))
    throw new UsageError(`an upgrade goes to a later version; this one goes from ${from} to ${to}`);
  const findings = findingsOf(checked.jobs, changesBetween(from, to));
  const shown = findings.slice(0, MAX_FINDINGS);
  const { jobs, mistakes } = checked;
  const result = {
    findings: shown,
    left: findings.length - shown.length,
    jobs: jobs.length,
    from,
    to,
    passedOver: checked.passedOver,
    unread: mistakes,
    isVerbose: options.verbose,
  };
  const style = styleFor(console.terminal !== undefined, console.environment);
  const report = reportOf(options.output, result, style);
  if (options.output === "text") writeText(console, report);
  else console.writeOut(report);
  for (const mistake of mistakes) console.writeError(`${printable(diagnosticText(mistake))}\n`);
  if (mistakes.length > 0) return EXIT_BAD_INPUT;
  if (options.files.length > 0 && jobs.length === 0 && isJobMissing(options.requireJobs, console))
    return EXIT_BAD_INPUT;
  return findings.length > 0 ? EXIT_FOUND : EXIT_GOOD;
}

function versionOf(what: string, text: string): KubernetesVersion {
  const version = kubernetesVersionOf(text);
  if (version === undefined)
    throw new UsageError(`${what} is ${JSON.stringify(text)}; allowed are ${KUBERNETES_VERSIONS.join(", ")}`);
  return version;
}

function fromFiles(options: UpgradeCheckOptions, console: Console): Checked {
  const { files, recursive, from, namespace, kubeconfig, context } = options;
  if ((namespace ?? kubeconfig ?? context) !== undefined)
    throw new UsageError("files were named, and a cluster too; leave out the files, or -n, --kubeconfig and --context");
  if (from === undefined)
    throw new UsageError("files say nothing of the present version of Kubernetes; give it with --from 1.34");
  const { manifests, mistakes } = readManifests(files, recursive);
  noteServerFields(manifests, console);
  const targets = targetsOf(manifests);
  const jobs = targets.map((target) => ({
    ...target,
    positionOf: (field: string) => target.manifest.nameAt(field),
  }));
  return { from, jobs, mistakes, passedOver: passedOver(manifests, new Set(targets.map(({ manifest }) => manifest))) };
}

async function fromCluster(options: UpgradeCheckOptions, console: Console): Promise<Checked> {
  const namespace = options.namespace === undefined ? undefined : named("the namespace", options.namespace);
  const reader = new ApiReader(loadCredentials(options, kubeconfigFor(options, console), console), new RealClock());
  try {
    const from = options.from ?? (await serverVersion(reader));
    return { from, jobs: await jobsOf(reader, namespace), mistakes: [], passedOver: "" };
  } finally {
    await reader.close();
  }
}
