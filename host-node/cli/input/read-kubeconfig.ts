/**
 * What a kubeconfig that `stint serve` wrote says: where the server is, whom to trust, and the token.
 *
 * Invariant: nothing of the file gets into an error but its path, a line number and names, so that no message holds the
 * token. Leaves out what `stint serve` does not write: client certificates, commands that make tokens, other hosts.
 */
import { delimiter } from "node:path";
import { parseDocument } from "yaml";
import { UsageError } from "../../usage-error.ts";
import { printable } from "../output/printable.ts";
import { readInput } from "./read-input.ts";

export const DEFAULT_KUBECONFIG = "./stint.kubeconfig";
const LOOPBACK = new Set(["127.0.0.1", "localhost"]);

export interface ServerAccess {
  /** The file that says so. */
  readonly kubeconfig: string;
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
  /** Of the current context. */
  readonly namespace: string;
}

/** The option, else $KUBECONFIG (of a list the first, as kubectl takes the current context from there), else the default. */
export function kubeconfigPath(option: string | undefined, environment: Readonly<Record<string, string | undefined>>): string {
  const first = (environment["KUBECONFIG"] ?? "").split(delimiter).find((path) => path !== "");
  return option ?? first ?? DEFAULT_KUBECONFIG;
}

/** `shownPath` is what errors call it. @throws UsageError when it cannot be read or is not what `stint serve` writes. */
export function readKubeconfig(path: string, shownPath: string): ServerAccess {
  const config = parse(readText(path), shownPath);
  const refuse = (problem: string): never => {
    throw new UsageError(`${shownPath} ${problem}.\nName the kubeconfig that \`stint serve\` wrote with --kubeconfig FILE, or in $KUBECONFIG.`);
  };
  const named = (list: string, name: unknown): Record<string, any> | undefined => (Array.isArray(config[list]) ? config[list].find((entry) => entry?.name === name) : undefined);
  const context = named("contexts", config["current-context"])?.["context"] ?? refuse("has no current context");
  const cluster = named("clusters", context.cluster)?.["cluster"] ?? refuse("has no cluster for its current context");
  const token = named("users", context.user)?.["user"]?.token;
  const server = originOf(cluster.server) ?? refuse("names no server on this machine, where `stint serve` listens: https://127.0.0.1:PORT");
  const authority = cluster["certificate-authority-data"];
  if (typeof authority !== "string") refuse("does not say which certificate to trust (certificate-authority-data)");
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) refuse("has no token for its current context");
  const { namespace } = context;
  return { kubeconfig: shownPath, server, authority: Buffer.from(authority, "base64").toString(), token, namespace: typeof namespace === "string" && namespace !== "" ? namespace : "default" };
}

function readText(path: string): string {
  try {
    return readInput(path).text;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}.\nStart \`stint serve\`, which writes one, or name another with --kubeconfig FILE or in $KUBECONFIG.`);
  }
}

function parse(text: string, shownPath: string): Record<string, any> {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw new UsageError(`${shownPath} is not YAML${error.linePos === undefined ? "" : `: line ${error.linePos[0].line}`}`);
  const value: unknown = document.toJS();
  return typeof value === "object" && value !== null ? (value as Record<string, any>) : {};
}

/** Without what else a URL may hold; undefined for another place than this machine. */
function originOf(server: unknown): string | undefined {
  const url = URL.parse(String(server));
  return url?.protocol === "https:" && LOOPBACK.has(url.hostname) ? printable(url.origin) : undefined;
}
