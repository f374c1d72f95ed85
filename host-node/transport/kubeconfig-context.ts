/**
 * One context of a kubeconfig: the server, the proxy, the trusted certificates, and the user.
 *
 * Refuses what would fail at the first request, or would silently do something else. As in kubectl, an incomplete entry
 * matters only to a context that uses it. Leaves out how the user authenticates (user-credentials.ts).
 */
import { UsageError } from "../usage-error.ts";
import type { Tls, Way } from "./connector.ts";
import { contentOf, type UserFields } from "./user-credentials.ts";
import type { FoundKubeconfig } from "./kubeconfig-file.ts";

/** Supported proxies. */
const PROXY = /^(https?|socks5h?|socks):\/\//;
/** Fields of a user that are not read. Without them requests would be made as another user. */
const UNSUPPORTED = ["as-groups", "as-uid", "as-user-extra"];

export interface KubeconfigContext extends Way {
  /** Prefix of every path: empty, or `/k8s/clusters/x` for a server behind a gateway. */
  readonly basePath: string;
  readonly namespace: string | undefined;
  /** Reads ask for compressed answers. */
  readonly asksCompressed: boolean;
  /** Names the file and the context, or the service account, as a part of a sentence. */
  readonly description: string;
  readonly cluster: ClusterFields;
  readonly user: UserFields;
}

/** The fields of a cluster that are used here. Paths are absolute. */
interface ClusterFields {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
}

/** `wanted` undefined: the current one. @throws UsageError when it is not there or cannot be used */
export function contextOf(found: FoundKubeconfig, wanted: string | undefined): KubeconfigContext {
  const { clusters, users, contexts } = found;
  const name = wanted ?? found.currentContext;
  const context = contexts.find((entry) => entry.name === name && entry.fields["cluster"])?.fields;
  if (context === undefined && wanted !== undefined) {
    const known = contexts.filter(({ fields }) => fields["cluster"]).map((entry) => entry.name);
    throw new UsageError(
      `the context is ${JSON.stringify(wanted)}; ${found.name} has ${known.length === 0 ? "none" : known.join(", ")}`,
    );
  }
  const cluster: ClusterFields = clusters.find((entry) => entry.name === context?.["cluster"])?.fields ?? {};
  const server = serverOf(cluster, name);
  const proxy = cluster["proxy-url"] || undefined;
  const shownName = JSON.stringify(name);
  if (server.protocol === "http:" && cluster["insecure-skip-tls-verify"] !== true) {
    throw new UsageError(
      `the server of context ${shownName} is ${server.origin}, where everybody in between can read the credentials; allowed is https://, or http:// and insecure-skip-tls-verify: true`,
    );
  }
  if (proxy !== undefined && !PROXY.test(proxy))
    throw new UsageError(
      `the proxy-url of context ${shownName} begins with ${JSON.stringify(proxy.split("://", 1)[0])}; allowed are http, https and socks5`,
    );
  const userName = String(context!["user"]);
  const user = users.find((entry) => entry.name === userName)?.fields;
  if (user === undefined)
    throw new UsageError(
      `the user of context ${shownName} is ${JSON.stringify(userName)}, which ${found.name} has not`,
    );
  const unsupported = UNSUPPORTED.find((field) => user[field] !== undefined);
  if (unsupported !== undefined)
    throw new UsageError(
      `the user ${JSON.stringify(userName)} of ${found.name} has ${unsupported}, which is not supported; allowed is as, to act as one user`,
    );
  return {
    origin: server.origin,
    basePath: server.pathname.replace(/\/+$/, ""),
    proxy,
    namespace: context!["namespace"] || undefined,
    asksCompressed: cluster["disable-compression"] !== true,
    description: found.isServiceAccount ? found.name : `context ${name} of ${found.name}`,
    cluster,
    user,
  };
}

/** @throws Error when a file cannot be read */
export function trustOf({ cluster }: KubeconfigContext): Tls {
  const ca = contentOf(cluster, "certificate-authority");
  const servername = cluster["tls-server-name"];
  return {
    ...(ca && { ca }),
    ...(servername && { servername }),
    ...(cluster["insecure-skip-tls-verify"] === true && { rejectUnauthorized: false }),
  };
}

/** The address of requests, and their proxy, without the credentials. */
export function wayOf({ origin, basePath, proxy }: KubeconfigContext): string {
  const url = proxy === undefined ? null : URL.parse(proxy);
  return `${origin}${basePath} ${url === null ? "" : `${url.protocol}//${url.host}`}`;
}

function serverOf({ server }: ClusterFields, context: string | undefined): URL {
  const url = URL.parse(String(server));
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw new UsageError(
    server
      ? `the server of context ${JSON.stringify(context)} is ${JSON.stringify(String(server).replace(/\/\/[^/@]*@/, "//…@"))}; allowed is a URL that begins with https://`
      : `the context ${JSON.stringify(context ?? "")} of the kubeconfig names no cluster; allowed is one with a cluster that has a server. Name another with --context`,
  );
}
