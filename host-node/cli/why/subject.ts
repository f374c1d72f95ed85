/** What `stint why` is asked about, as kubectl writes kinds and names: `pi`, `job/pi`, `cj/report`, `pods/pi-x2k9f`. */
import { UsageError } from "../../usage-error.ts";
import { jobNameOf, named } from "../cluster-access.ts";

export type SubjectKind = "Job" | "CronJob" | "Pod" | "JobSet";

export interface Subject {
  readonly kind: SubjectKind;
  readonly name: string;
}

/** As kubectl takes them: singular, plural, short, and with the group. */
const KINDS: Readonly<Record<string, SubjectKind>> = {
  job: "Job",
  jobs: "Job",
  "job.batch": "Job",
  "jobs.batch": "Job",
  cronjob: "CronJob",
  cronjobs: "CronJob",
  cj: "CronJob",
  "cronjob.batch": "CronJob",
  "cronjobs.batch": "CronJob",
  pod: "Pod",
  pods: "Pod",
  po: "Pod",
  jobset: "JobSet",
  jobsets: "JobSet",
  "jobset.jobset.x-k8s.io": "JobSet",
  "jobsets.jobset.x-k8s.io": "JobSet",
};

/** @throws UsageError when it names nothing that can be asked about */
export function subjectOf(text: string): Subject {
  const slash = text.indexOf("/");
  if (slash < 0) return { kind: "Job", name: jobNameOf(text) };
  const given = text.slice(0, slash).toLowerCase();
  if (!Object.hasOwn(KINDS, given))
    throw new UsageError(
      `the kind is ${JSON.stringify(text.slice(0, slash))}; allowed are job/NAME, cronjob/NAME, pod/NAME and jobset/NAME, and NAME alone for a Job`,
    );
  const kind = KINDS[given]!;
  return { kind, name: named(`the ${kind}'s name`, text.slice(slash + 1)) };
}
