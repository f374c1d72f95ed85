/** The Job that a CronJob makes, as a manifest. Leaves out when that is: cluster/cron/. */
import { isObject } from "../values/json.ts";
import { CRON_JOBS, JOBS } from "../client/client.ts";
import type { Manifest } from "./manifests.ts";

/** The annotation that kubectl sets on a Job that it makes from a CronJob. */
const MADE_BY_HAND = { "cronjob.kubernetes.io/instantiate": "manual" };

/** The Job of a CronJob, with the CronJob's name. Positions of its fields are those in the CronJob. */
export function jobOfCronJob(cronJob: Manifest): Manifest {
  const { metadata = {}, ...rest } = objectIn(objectIn(cronJob.object["spec"])["jobTemplate"]);
  const { name, generateName, namespace } = objectIn(cronJob.object.metadata);
  const place = (path: string): string => (path === "" || path === "metadata.name" ? path : `spec.jobTemplate.${path}`);
  return {
    object: {
      ...rest,
      apiVersion: JOBS.apiVersion,
      kind: JOBS.kind,
      metadata: {
        ...objectIn(metadata),
        ...(name === undefined ? {} : { name }),
        ...(generateName === undefined ? {} : { generateName }),
        ...(namespace === undefined ? {} : { namespace }),
        annotations: { ...objectIn(objectIn(metadata)["annotations"]), ...MADE_BY_HAND },
      },
    },
    wrongHead: undefined,
    dropped: cronJob.dropped,
    text: cronJob.text,
    valueAt: (path) => cronJob.valueAt(place(path)),
    nameAt: (path) => cronJob.nameAt(place(path)),
    firstAt: (path, isMeant) => cronJob.firstAt(place(path), isMeant),
  };
}

export function isCronJob(manifest: Manifest): boolean {
  const { apiVersion, kind } = manifest.object;
  return apiVersion === CRON_JOBS.apiVersion && kind === CRON_JOBS.kind;
}

/** The value, if it is an object; else an empty one. */
function objectIn(value: unknown): Readonly<Record<string, any>> {
  return isObject(value) ? value : {};
}
