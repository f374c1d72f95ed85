/**
 * Questions to a running `stint serve`, over HTTPS with the certificate and the token of its kubeconfig.
 *
 * Invariant: it ends, with an answer or with a sentence that says what was tried and what to do; the token goes to the
 * server whose certificate the kubeconfig names, and nowhere else.
 */
import { request } from "node:https";
import type { Explanation } from "../../bindings/js/engine.ts";
import { explanationPath } from "../server/explanations.ts";
import { UsageError } from "../usage-error.ts";
import type { ServerAccess } from "./input/read-kubeconfig.ts";
import { printable } from "./output/printable.ts";
import type { JobName } from "./similar-names.ts";

const TIME_LIMIT_MS = 10_000;
/** Twelve decisions are a few kilobytes, names of Jobs a few megabytes at most. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Jobs that are looked through for similar names. */
const MAX_NAMES = 5000;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Also resolves when there is no such Job: `found` says so. @throws UsageError without such an answer. */
export async function askForExplanation(access: ServerAccess, namespace: string, job: string): Promise<Explanation> {
  const { server, kubeconfig } = access;
  const answer = await get(access, explanationPath(namespace, job)).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreachable(error, access));
  });
  if (answer.status === 401) throw new UsageError(`${server} does not take the token of ${kubeconfig}: another server wrote that file.\nName the kubeconfig of the one that runs now with --kubeconfig FILE, or in $KUBECONFIG.`);
  const body = parsed(answer.body);
  if ((answer.status === 200 || answer.status === 404) && typeof body["found"] === "boolean") return body as unknown as Explanation;
  const message = typeof body["message"] === "string" ? `: ${printable(body["message"])}` : "";
  throw new UsageError(`${server} does not explain Jobs; it answered ${answer.status}${message}.\nIs it a \`stint serve\` of this version? ${kubeconfig} names it.`);
}

/** Names of the Jobs that there are, of all namespaces; none when the server does not tell. */
export async function askForJobs(access: ServerAccess): Promise<JobName[]> {
  try {
    const { status, body } = await get(access, `/apis/batch/v1/jobs?limit=${MAX_NAMES}`, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    const items = status === 200 ? (parsed(body)["items"] as { readonly metadata: JobName }[]) : [];
    return items.map(({ metadata: { namespace, name } }) => ({ namespace, name }));
  } catch {
    return []; // A suggestion is worth no error of its own.
  }
}

function get({ server, authority, token }: ServerAccess, path: string, accept = "application/json"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { accept, authorization: `Bearer ${token}`, "user-agent": "stint" };
    const sent = request(`${server}${path}`, { ca: authority, headers, agent: false, signal: AbortSignal.timeout(TIME_LIMIT_MS) }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_ANSWER_BYTES) response.destroy(new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() })).on("error", reject);
    });
    sent.on("error", reject).end();
  });
}

function unreachable(error: NodeJS.ErrnoException, { server, kubeconfig }: ServerAccess): string {
  const place = `${server}, which ${kubeconfig} names`;
  if (error.code === "ECONNREFUSED") return `nobody listens at ${place}: that server has ended.\nStart \`stint serve\` again, or name the kubeconfig of one that runs with --kubeconfig FILE, or in $KUBECONFIG.`;
  if (error.name === "AbortError") return `no answer within ${TIME_LIMIT_MS / 1000} s from ${place}.\nIs the server stopped or very busy? Try again.`;
  if (isTrustProblem(error)) return `another server than ${kubeconfig} was written by listens at ${server}; it was told nothing (${error.code}).\nName the kubeconfig of the one that runs now with --kubeconfig FILE, or in $KUBECONFIG.`;
  return `cannot ask ${place}: ${printable(error.message)}.\nIs that server still running?`;
}

/** The certificate is another one, or there is no TLS at all. */
function isTrustProblem({ code = "" }: NodeJS.ErrnoException): boolean {
  return /CERT|VERIFY|SIGNATURE|^ERR_SSL|^EPROTO/.test(code);
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
