/**
 * The Jobs and CronJobs of a cluster, and its version: only GETs, a page at a time. Ended Jobs are skipped, because
 * they no longer change.
 *
 * Invariant: a list that may not be read is an error, and never an empty list.
 */
import { answeredObject, CRON_JOBS, JOBS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import { endOf } from "../../../cluster/values/job-conditions.ts";
import { UsageError } from "../../usage-error.ts";
import { jobIn, type Loose, objectIn } from "../../manifests/job-in.ts";
import { printable } from "../../words/printable.ts";
import { type ApiReader, refusalOf } from "../why/api-reader.ts";
import type { CheckedJob } from "./finding.ts";

const OBJECTS_PER_PAGE = 500;
/** 100,000 of each kind. */
const MAX_PAGES = 200;

/** As the server says it: `v1.34.4`. @throws UsageError when it does not */
export async function serverVersion(reader: ApiReader): Promise<string> {
  const response = await reader.get("/version");
  const { gitVersion } = answeredObject(response);
  if (response.status !== 200 || typeof gitVersion !== "string")
    throw new UsageError(`${reader.origin} does not tell its version (${refusalOf(response)}); give it with --from`);
  return gitVersion;
}

/** @param namespace undefined: all. @throws UsageError when they may not be listed */
export async function jobsOf(reader: ApiReader, namespace: string | undefined): Promise<CheckedJob[]> {
  const jobs: CheckedJob[] = [];
  for (const resource of [CRON_JOBS, JOBS]) {
    const path = resourcePath(resource, namespace);
    for await (const item of itemsOf(reader, path))
      jobs.push(...checkedJobs({ ...item, apiVersion: resource.apiVersion, kind: resource.kind }));
  }
  return jobs;
}

async function* itemsOf(reader: ApiReader, path: string): AsyncGenerator<Loose> {
  let next = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { limit: String(OBJECTS_PER_PAGE), ...(next === "" ? {} : { continue: next }) };
    const response = await reader.get(withQuery(path, query));
    const { items, metadata } = answeredObject(response);
    if (response.status !== 200 || !Array.isArray(items))
      throw new UsageError(
        `${reader.origin} does not list ${path}: ${refusalOf(response)}\nIt takes the right to list jobs and cronjobs of batch; name a namespace with -n if you have it there.`,
      );
    yield* items;
    next = String(objectIn(metadata)["continue"] ?? "");
    if (next === "") return;
  }
  throw new UsageError(
    `${path} has more than ${MAX_PAGES * OBJECTS_PER_PAGE} objects, which are too many; name a namespace with -n`,
  );
}

function checkedJobs(object: Loose): CheckedJob[] {
  const metadata = objectIn(object["metadata"]);
  const namespace = printable(String(metadata["namespace"]));
  const found = jobIn(object, namespace);
  if (found === undefined || endOf(object) !== undefined) return [];
  return [{ ...found, kind: object["kind"], namespace, name: String(metadata["name"]), positionOf: () => undefined }];
}
