/**
 * Finds and merges kubeconfigs as kubectl does, or makes one from the service account of a pod.
 *
 * Invariant: errors quote nothing of a file, because it holds secrets. Paths of files and commands become absolute.
 * Leaves out what the fields mean (kubeconfig-context.ts, user-credentials.ts).
 */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { isMap, LineCounter, parseDocument } from "yaml";
import { readProblem, UsageError } from "../usage-error.ts";

/** The folder in which Kubernetes mounts the credentials of a pod. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const WHERE_TO_NAME_ONE =
  "Name one with --kubeconfig FILE or in $KUBECONFIG; inside a pod its service account is used.";
/** The user for a context that names none. */
const NO_USER = "(none)";
const FILES_OF_USER = ["client-certificate", "client-key", "tokenFile"];
/** Fields that are text; YAML reads a token of digits as a number. */
const TEXTS = [
  ...[...FILES_OF_USER, "client-certificate-data", "client-key-data", "token", "username", "password", "as"],
  ...["server", "certificate-authority", "certificate-authority-data", "tls-server-name", "proxy-url", "namespace"],
];

export interface KubeconfigPlace {
  /** Path of the kubeconfig. Undefined: search as kubectl does. */
  readonly kubeconfig: string | undefined;
  /** Reads a kubeconfig that was found and not named; undefined: it is read without checks. @throws UsageError */
  readonly readKubeconfig?: ((path: string) => string) | undefined;
  /** KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder of the pod's token, ca.crt and namespace; undefined: the folder that Kubernetes uses. */
  readonly serviceAccount?: string | undefined;
}

type Fields = Readonly<Record<string, any>>;

/** A cluster, a user or a context. */
interface Entry {
  readonly name: string;
  readonly fields: Fields;
}

/** The entries of a kubeconfig. */
interface Content {
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
  readonly contexts: readonly Entry[];
  readonly currentContext: string | undefined;
}

export interface FoundKubeconfig extends Content {
  /** A name for people: one path, several paths, or the service account of the pod. */
  readonly name: string;
  readonly isServiceAccount: boolean;
}

/** @throws UsageError when there is none or it cannot be read */
export function findKubeconfig({
  kubeconfig,
  readKubeconfig,
  environment,
  serviceAccount = SERVICE_ACCOUNT,
}: KubeconfigPlace): FoundKubeconfig {
  if (kubeconfig !== undefined) return found(kubeconfig, [read(kubeconfig, readKubeconfig)]);
  const listed = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) {
    // As in kubectl, a missing file is skipped if there is another one.
    const there = listed.filter((path) => existsSync(path));
    return found(
      listed.join(delimiter),
      (there.length === 0 ? listed : there).map((path) => read(path)),
    );
  }
  const own = join(environment["HOME"] ?? "", ".kube", "config");
  if (environment["HOME"] && existsSync(own)) return found(own, [read(own)]);
  const host = environment["KUBERNETES_SERVICE_HOST"];
  if (host && existsSync(join(serviceAccount, "token")))
    return {
      name: "the service account of this pod",
      isServiceAccount: true,
      ...ofPod(host, environment["KUBERNETES_SERVICE_PORT"] ?? "443", serviceAccount),
    };
  throw new UsageError(
    `there is no kubeconfig and no service account of a pod: nothing says where the API server is.\n${WHERE_TO_NAME_ONE}`,
  );
}

/** The first file that has a name wins, and the first that has a current context. */
function found(name: string, files: readonly Content[]): FoundKubeconfig {
  const merged = (list: "clusters" | "users" | "contexts"): Entry[] => [
    ...new Map(
      files.flatMap((file) => file[list].toReversed().map((entry) => [entry.name, entry] as const)).toReversed(),
    ).values(),
  ];
  return {
    name,
    isServiceAccount: false,
    clusters: merged("clusters"),
    users: [...merged("users"), { name: NO_USER, fields: {} }],
    contexts: merged("contexts"),
    currentContext: files.map((file) => file.currentContext).find((context) => context),
  };
}

function ofPod(host: string, port: string, serviceAccount: string): Content {
  const namespaceFile = join(serviceAccount, "namespace");
  const namespace = existsSync(namespaceFile) ? readFileSync(namespaceFile, "utf8").trim() : undefined;
  const cluster = {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    "certificate-authority": join(serviceAccount, "ca.crt"),
  };
  return {
    clusters: [{ name: "pod", fields: cluster }],
    users: [{ name: "pod", fields: { tokenFile: join(serviceAccount, "token") } }],
    contexts: [{ name: "pod", fields: { cluster: "pod", user: "pod", namespace } }],
    currentContext: "pod",
  };
}

function read(path: string, readText = (file: string): string => readFileSync(file, "utf8")): Content {
  const refuse = (problem: string): never => {
    throw new UsageError(`the kubeconfig ${path} cannot be used: ${problem}.\n${WHERE_TO_NAME_ONE}`);
  };
  let text = "";
  try {
    text = readText(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    refuse(readProblem(error));
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  // The message of the YAML parser may quote the file, so only the line is named.
  if (error !== undefined) refuse(`line ${lines.linePos(error.pos[0]).line} is not YAML`);
  if (!isMap(document.contents)) refuse("it is not a kubeconfig; allowed is YAML with clusters, users and contexts");
  const content = document.toJS() as Fields;
  const folder = dirname(resolve(path));
  const entries = (list: string, field: string, change: (fields: Fields) => Fields): Entry[] => {
    const given = content[list] ?? [];
    if (!Array.isArray(given)) refuse(`${list} is not a list`);
    return (given as unknown[]).map((entry, i) => {
      const { name, [field]: fields } = (entry ?? {}) as Fields;
      if (typeof name !== "string" || name === "") refuse(`${list}[${i}] has no name`);
      if (fields !== null && fields !== undefined && (typeof fields !== "object" || Array.isArray(fields)))
        refuse(`${list}[${i}].${field} is not a list of fields`);
      const odd = TEXTS.find((text) => typeof (fields?.[text] ?? "") !== "string");
      if (odd !== undefined) refuse(`${list}[${i}].${field}.${odd} is no text; put it in quotes`);
      return { name, fields: change({ ...(fields as Fields) }) };
    });
  };
  return {
    clusters: entries("clusters", "cluster", (cluster) => withPaths(cluster, folder, ["certificate-authority"])),
    users: entries("users", "user", (user) => withCommand(withPaths(user, folder, FILES_OF_USER), folder)),
    contexts: entries("contexts", "context", (context) => ({ ...context, user: context["user"] || NO_USER })),
    currentContext: content["current-context"],
  };
}

/** A command with a slash is relative to the kubeconfig. One without a slash is looked up in $PATH. */
function withCommand({ exec, ...rest }: Fields, folder: string): Fields {
  if (!exec) return rest;
  const command = String(exec["command"] ?? "");
  return { ...rest, exec: { ...exec, command: command.includes("/") ? resolve(folder, command) : command } };
}

function withPaths(fields: Fields, folder: string, names: readonly string[]): Fields {
  return {
    ...fields,
    ...Object.fromEntries(
      names.filter((name) => fields[name]).map((name) => [name, resolve(folder, String(fields[name]))]),
    ),
  };
}
