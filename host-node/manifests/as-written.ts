/** A Job of an API server as its user may have written it. */
import { type Loose, objectIn } from "./job-in.ts";

const DEFAULT_BACKOFF_LIMIT = 6;
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The Job without the defaults that lint would mistake for the wish of its user: an API server has set them, and a Job
 * from a server does not show which values the user gave.
 */
export function asWritten(job: Loose): Loose {
  const spec = objectIn(job["spec"]);
  const template = objectIn(spec["template"]);
  const podSpec = objectIn(template["spec"]);
  return {
    ...job,
    spec: {
      ...spec,
      ...held(spec, "activeDeadlineSeconds"),
      ...(spec["backoffLimit"] === DEFAULT_BACKOFF_LIMIT ? { backoffLimit: undefined } : {}),
      template: {
        ...template,
        spec: {
          ...podSpec,
          ...held(podSpec, "activeDeadlineSeconds"),
          ...held(podSpec, "terminationGracePeriodSeconds"),
          ...(podSpec["terminationGracePeriodSeconds"] === DEFAULT_GRACE_SECONDS
            ? { terminationGracePeriodSeconds: undefined }
            : {}),
        },
      },
    },
  };
}

/** A whole number that JavaScript cannot hold, as large as it can. */
function held(object: Loose, name: string): Loose {
  const value: unknown = object[name];
  return typeof value === "number" && value > Number.MAX_SAFE_INTEGER ? { [name]: Number.MAX_SAFE_INTEGER } : {};
}
