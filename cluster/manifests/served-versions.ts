/**
 * The one table of API versions in which Kubernetes has served Jobs and CronJobs, and the mistake in a head that names
 * another one. Invariant: custom resources pass: their group has a dot in it, and their kind may be called Job, too.
 */
import { CRON_JOBS, JOBS } from "../client/client.ts";
import { similarNames } from "../values/similar-names.ts";

interface GoneVersion {
  readonly apiVersion: string;
  readonly kind: string;
  /** The first version of Kubernetes that does not serve it. */
  readonly goneSince: string;
  /** The first version of Kubernetes that serves the kind in batch/v1. */
  readonly successorSince: string;
}

/** Source: the release notes of these versions of Kubernetes. */
const GONE: readonly GoneVersion[] = [
  { apiVersion: "batch/v1beta1", kind: "CronJob", goneSince: "1.25", successorSince: "1.21" },
  { apiVersion: "batch/v2alpha1", kind: "CronJob", goneSince: "1.21", successorSince: "1.21" },
  { apiVersion: "extensions/v1beta1", kind: "Job", goneSince: "1.6", successorSince: "1.2" },
];

const SERVED = [JOBS, CRON_JOBS];
const GROUP = "batch";

/** What is wrong with the head of an object, and what it should be. */
export interface WrongHead {
  readonly field: "apiVersion" | "kind";
  readonly message: string;
  /** The corrected head, if it is unambiguous. */
  readonly meant: { readonly apiVersion: string; readonly kind: string } | undefined;
}

/** Undefined: Kubernetes serves it, or it is no Job and no CronJob. */
export function wrongHead(apiVersion: string, kind: string): WrongHead | undefined {
  const served = SERVED.find((resource) => resource.kind === kind);
  const here = `here is ${apiVersion} ${kind}`;
  if (served === undefined) {
    if (apiVersion.split("/")[0] !== GROUP || kind.endsWith("List")) return undefined;
    const [near] = similarNames(
      kind,
      SERVED.map((resource) => resource.kind),
    );
    const meant = SERVED.find((resource) => resource.kind === near);
    const hint = meant === undefined ? "" : `; did you mean ${meant.apiVersion} ${meant.kind}?`;
    return { field: "kind", message: `${here}, a kind that Kubernetes does not serve${hint}`, meant };
  }
  if (apiVersion === served.apiVersion || apiVersion.split("/")[0]!.includes(".")) return undefined;
  const gone = GONE.find((version) => version.apiVersion === apiVersion && version.kind === kind);
  const message =
    gone === undefined
      ? `${here}, which Kubernetes does not serve; use ${served.apiVersion}`
      : `${here}, which Kubernetes does not serve since ${gone.goneSince}; use ${served.apiVersion}, which it serves since ${gone.successorSince}`;
  return { field: "apiVersion", message, meant: served };
}
