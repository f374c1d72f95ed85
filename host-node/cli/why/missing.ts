/** What is said of an object that is not there: which objects of a similar name there are. */
import { answeredObject, CRON_JOBS, JOBS, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import { printable } from "../../words/printable.ts";
import { type JobName, similarJobs } from "../../words/similar-names.ts";
import type { ApiReader } from "./api-reader.ts";
import type { JobTarget } from "./controllers.ts";
import type { SubjectKind } from "./subject.ts";
import type { Told } from "./told.ts";

/** The most objects that are searched for similar names. */
const MAX_NAMES = 5000;
const NAMES_ALONE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2";

type Reader = Pick<ApiReader, "get" | "origin">;

interface Listed {
  /** Where they are listed; undefined: of all namespaces. */
  readonly path: (namespace: string | undefined) => string;
  /** As people write it; kubectl takes it in small letters. */
  readonly plural: string;
  /** In front of a name, for `stint why`. */
  readonly prefix: string;
}

const LISTED: Readonly<Record<SubjectKind, Listed>> = {
  Job: { path: (namespace) => resourcePath(JOBS, namespace), plural: "Jobs", prefix: "" },
  CronJob: { path: (namespace) => resourcePath(CRON_JOBS, namespace), plural: "CronJobs", prefix: "cronjob/" },
  Pod: { path: (namespace) => resourcePath(PODS, namespace), plural: "pods", prefix: "pod/" },
  JobSet: {
    path: (namespace) => `${JOB_SETS}${namespace === undefined ? "" : `/namespaces/${namespace}`}/jobsets`,
    plural: "JobSets",
    prefix: "jobset/",
  },
};

export function missingJob(reader: Reader, { namespace, job }: JobTarget): Promise<Pick<Told, "lines" | "problem">> {
  return missing(reader, "Job", { namespace, name: job });
}

export async function missing(
  reader: Reader,
  kind: SubjectKind,
  wanted: JobName,
): Promise<Pick<Told, "lines" | "problem">> {
  const { namespace, name } = wanted;
  const similar = similarJobs(wanted, await namesOf(reader, LISTED[kind], namespace));
  const problem = `there is no ${kind} ${name} in namespace ${namespace} of ${reader.origin}.`;
  return { lines: undefined, problem: `${problem}\n${adviceOf(LISTED[kind], namespace, similar)}` };
}

/** Names of existing objects, of all namespaces if the user may list those. Empty if the server refuses. */
async function namesOf(reader: Reader, { path }: Listed, namespace: string): Promise<JobName[]> {
  try {
    for (const scope of [undefined, namespace]) {
      const response = await reader.get(withQuery(path(scope), { limit: MAX_NAMES }), NAMES_ALONE);
      if (response.status === 200)
        return (answeredObject(response)["items"] as { readonly metadata: JobName }[]).map(({ metadata }) => ({
          namespace: metadata.namespace,
          name: metadata.name,
        }));
    }
  } catch {
    // A suggestion that fails is left out, without an error.
  }
  return [];
}

function adviceOf({ plural, prefix }: Listed, namespace: string, similar: readonly JobName[]): string {
  if (similar.length === 0)
    return `\`kubectl get ${plural.toLowerCase()} --all-namespaces\` lists the ${plural} there are; --namespace names another namespace.`;
  const commands = similar.map(
    ({ name, namespace: place }) =>
      `  stint why ${prefix}${printable(name)}${place === namespace ? "" : ` -n ${printable(place)}`}`,
  );
  return ["Did you mean this?", ...commands].join("\n");
}
