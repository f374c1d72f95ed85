/**
 * Asks the controllers that may run a Job to explain it: a controller at an address; the API server itself, if that is
 * a `stint serve`; and the leading replica of a `stint controller` in the cluster, which its Lease names, through the
 * API server's proxy of pods.
 *
 * Invariant: each is asked at most once. If one does not explain the Job, the answer has the reason.
 */
import { Agent, request } from "undici";
import type { Explanation } from "../../../bindings/js/engine.ts";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import { answeredObject, errorOf, LEASES, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import { explanationPath } from "../../server/explanations.ts";
import { UsageError } from "../../usage-error.ts";
import { printable } from "../../words/printable.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";

/**
 * The name of the Lease of `stint controller`. A digest may follow it, and the name of a Helm release may precede it.
 */
const LEASE_NAME = "stint-job-controller";
/** The port on which the controller listens in its pod. */
const PORT = 8080;
/** The most Leases that are checked. Controllers of different Jobs have a Lease each. */
const MAX_LEASES = 16;
const TIME_LIMIT_MS = 10_000;
/** Twelve decisions and 64 groups of pods are some tens of kilobytes. */
const MAX_EXPLANATION_BYTES = 1024 * 1024;
const POD_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

export interface JobTarget {
  readonly namespace: string;
  readonly job: string;
}

/**
 * The explanation by the controller that runs the Job; or why there is none, as a part of a sentence. Undefined: there
 * is nothing useful to report.
 */
export type ControllerAnswer = { readonly explanation: Explanation } | { readonly reason: string | undefined };

/** `url`: `http://127.0.0.1:8080`. @throws UsageError when nothing there explains Jobs */
export async function askAddress(url: string, { namespace, job }: JobTarget): Promise<ControllerAnswer> {
  const answer = await fetchPage(url, explanationPath(namespace, job));
  const outcome = outcomeOf(answer, url);
  if (outcome === undefined)
    throw new UsageError(
      `${url} does not explain Jobs; it answered ${refusalOf(answer)}.\nIs it the address of a \`stint controller\`? Its --listen says which.`,
    );
  return outcome;
}

/** A page of a controller at an address. @throws UsageError when no server answers there */
export async function fetchPage(url: string, path: string): Promise<ApiResponse> {
  const dispatcher = new Agent({ maxResponseSize: MAX_EXPLANATION_BYTES, allowH2: false });
  try {
    const { statusCode, body } = await request(url + path, {
      dispatcher,
      headers: { accept: "application/json", "user-agent": "stint" },
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    return { status: statusCode, headers: {}, body: await body.text() };
  } catch (error) {
    throw new UsageError(unreachable(error as NodeJS.ErrnoException, url));
  } finally {
    await dispatcher.destroy();
  }
}

/** A `stint serve` explains Jobs; other API servers have no such path, or forbid it to this user. */
export async function askServer(reader: ApiReader, { namespace, job }: JobTarget): Promise<ControllerAnswer> {
  return outcomeOf(await reader.get(explanationPath(namespace, job)), reader.origin) ?? { reason: undefined };
}

/** Asks the holder of each Lease until one explains the Job. `by` is the pod of that one. */
export async function askLeaders(
  reader: ApiReader,
  controllerNamespace: string,
  { namespace, job }: JobTarget,
): Promise<{ readonly by: string; readonly explanation: Explanation } | { readonly reasons: readonly string[] }> {
  const response = await reader.get(withQuery(resourcePath(LEASES, controllerNamespace), { limit: 500 }));
  if (response.status !== 200)
    return { reasons: [`the Leases in namespace ${controllerNamespace} ${notRead(response, "read")}`] };
  const leases = ((answeredObject(response)["items"] ?? []) as Record<string, any>[])
    .filter(({ metadata }) => String(metadata?.name).includes(LEASE_NAME))
    .slice(0, MAX_LEASES);
  const reasons: string[] = [];
  for (const { metadata, spec } of leases) {
    const pod = String(spec?.holderIdentity ?? "").replace(/_[^_]*$/, "");
    if (!POD_NAME.test(pod)) {
      reasons.push(`no replica holds the Lease ${printable(`${controllerNamespace}/${metadata.name}`)}`);
      continue;
    }
    const answer = await reader.get(
      `${resourcePath(PODS, controllerNamespace, `${pod}:${PORT}`, "proxy")}${explanationPath(namespace, job)}`,
    );
    const outcome = outcomeOf(answer, pod) ?? { reason: `${pod} ${notRead(answer, "asked")}` };
    if ("explanation" in outcome) return { by: pod, explanation: outcome.explanation };
    if (outcome.reason !== undefined) reasons.push(outcome.reason);
  }
  return { reasons };
}

// A user who may read only Jobs needs no details about a refusal.
function notRead(answer: ApiResponse, what: string): string {
  return answer.status === 403
    ? `may not be ${what} with these credentials`
    : `could not be ${what} (${refusalOf(answer)})`;
}

/** Undefined: the answer comes from a program that does not explain Jobs. */
function outcomeOf(answer: ApiResponse, by: string): ControllerAnswer | undefined {
  const body = answeredObject(answer);
  if (typeof body["found"] === "boolean" && (answer.status === 200 || answer.status === 404)) {
    if (!body["found"]) return { reason: `${by} does not know it` };
    return body["state"] === "Foreign"
      ? { reason: `${by} leaves it to another controller` }
      : { explanation: body as unknown as Explanation };
  }
  // A replica that does not lead, or whose engine has stopped, answers so.
  if (
    answer.status === 503 &&
    body["kind"] === "Status" &&
    /^(this replica|the controller) /.test(String(body["message"]))
  )
    return { reason: `${by} says: ${printable(errorOf(answer).message)}` };
  return undefined;
}

function unreachable(error: NodeJS.ErrnoException, url: string): string {
  const place = `${url}, which --controller names`;
  if (error.code === "ECONNREFUSED")
    return `no server listens at ${place}.\nIs the \`kubectl port-forward\` to the leading replica still running?`;
  if (error.name === "TimeoutError")
    return `no answer within ${TIME_LIMIT_MS / 1000} s from ${place}.\nIs it stopped or very busy? Try again.`;
  return `cannot ask ${place}: ${printable(error.message || String(error.code))}`;
}
