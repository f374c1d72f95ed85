/**
 * Removes the kubeconfig of a server that was killed before it could do so.
 *
 * Invariant: a file is removed only if a server of this machine wrote all of it, and that server no longer listens at
 * its address: no process does, or another server. Every other file stays: one of another user, one behind a link, one
 * to which a cluster was added, one whose server is stopped or slow, and one from another machine, because that has
 * another loopback.
 */
import { unlinkSync } from "node:fs";
import { connect } from "node:tls";
import { parse } from "yaml";
import { readOwnFile } from "../own-file.ts";
import { trusting } from "../transport/trust.ts";
import { formProblem, MAX_KUBECONFIG_BYTES } from "./kubeconfig-form.ts";

const ANSWER_LIMIT_MS = 3_000;

/**
 * The state of the file at a path: its server runs (at this address), its server has ended, or no server of this
 * machine wrote the file.
 */
export type KubeconfigState = { readonly livesAt: string } | "abandoned" | "foreign";

/**
 * Removes the file if it is abandoned. @returns its state before
 * @param own the address at which this process listens: no other server can run there, whatever its certificate says
 */
export async function removeAbandoned(path: string, own?: string): Promise<KubeconfigState> {
  const text = ownText(path);
  if (text === undefined) return "foreign";
  const cluster = servedCluster(text);
  if (cluster.server !== own && (await mayLive(cluster))) return { livesAt: cluster.server };
  // Another server may have removed the file meanwhile, and written its own.
  if (ownText(path) !== text) return "foreign";
  unlinkSync(path);
  return "abandoned";
}

/** The text of the file. Undefined: no server of this machine wrote it. */
function ownText(path: string): string | undefined {
  const file = readOwnFile(path, MAX_KUBECONFIG_BYTES);
  return "problem" in file || formProblem(file) !== undefined ? undefined : file.text;
}

interface ServedCluster {
  readonly server: string;
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly authority: string;
}

/** @param text of the form of kubeconfig-form.ts */
function servedCluster(text: string): ServedCluster {
  const { server, "certificate-authority-data": authority } = parse(text).clusters[0].cluster as Record<string, string>;
  const { hostname: host, port } = new URL(server!);
  return { server: server!, host, port: Number(port), authority: Buffer.from(authority!, "base64").toString() };
}

/**
 * Error codes when another server listens at the address: its certificate has another authority, or it speaks no TLS.
 */
const ANOTHER_SERVER =
  /^(ECONNREFUSED|EPROTO|ERR_SSL_.*|CERT_SIGNATURE_FAILURE|(DEPTH_ZERO_)?SELF_SIGNED_CERT.*|UNABLE_TO_(VERIFY|GET)_.*)$/;

/** False: no process listens there, or another server. Only the server itself had the private key, in its memory. */
function mayLive({ host, port, authority }: ServedCluster): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...trusting(authority), timeout: ANSWER_LIMIT_MS });
    const end = (lives: boolean): void => {
      socket.destroy();
      resolve(lives);
    };
    socket.once("secureConnect", () => end(true));
    socket.once("timeout", () => end(true));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => end(!ANOTHER_SERVER.test(code ?? "")));
  });
}
