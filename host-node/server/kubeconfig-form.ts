/**
 * The form of the kubeconfig that `stint serve` on this machine writes: kubeconfig.ts. A found file of any other form
 * is not used, and is never removed.
 *
 * Invariant: such a file starts no program, names no other file, and leads nowhere but to loopback. Every field that
 * `stint serve` does not write is refused, so a field that a later version adds to kubeconfigs is refused, too.
 * Messages quote nothing of the file, because it may hold secrets; they name only fields of a kubeconfig.
 */
import { X509Certificate } from "node:crypto";
import { hostname } from "node:os";
import { parseDocument } from "yaml";
import type { OwnFile } from "../own-file.ts";

/** The name of the cluster's extension that marks the file's writer. */
export const MARK = "stint.dev/serve";
/** A file of `stint serve` has a few kilobytes. */
export const MAX_KUBECONFIG_BYTES = 64 * 1024;

const PRIVATE = 0o600;
/** Those of all, and what a file does when it is started. */
const PERMISSIONS = 0o7777;
const LOOPBACK = /^https:\/\/127\.0\.0\.1:\d{1,5}$/;

/** The fields that `stint serve` writes: the lists and, of the one entry of each, its fields. */
const LISTS = {
  clusters: ["cluster", ["server", "certificate-authority-data", "extensions"]],
  users: ["user", ["token"]],
  contexts: ["context", ["cluster", "user", "namespace"]],
} as const;
const FIELDS: readonly string[] = ["apiVersion", "kind", "current-context", ...Object.keys(LISTS)];

const OTHER_FILE = "which names another file";
const OTHER_USER = "which acts as another user";
const OTHER_PEER = "which changes whom the server may be";
/** Why a field of a kubeconfig is refused. Other fields are not named. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["exec", "which starts a program"],
  ["auth-provider", "which may start a program"],
  ["proxy-url", "which sends requests elsewhere"],
  ["certificate-authority", OTHER_FILE],
  ["client-certificate", OTHER_FILE],
  ["client-key", OTHER_FILE],
  ["tokenFile", OTHER_FILE],
  ["insecure-skip-tls-verify", OTHER_PEER],
  ["tls-server-name", OTHER_PEER],
  ["as", OTHER_USER],
  ["as-groups", OTHER_USER],
  ["as-uid", OTHER_USER],
  ["as-user-extra", OTHER_USER],
]);

type Fields = Readonly<Record<string, unknown>>;

/** Why `stint serve` on this machine has not written the file, as a part of a sentence; undefined: it has. */
export function formProblem({ text, stats }: OwnFile): string | undefined {
  return modeProblem(stats.mode) ?? textProblem(text);
}

function modeProblem(mode: number): string | undefined {
  const given = mode & PERMISSIONS;
  if (given === PRIVATE) return undefined;
  return `its mode is 0${given.toString(8).padStart(3, "0")}; \`stint serve\` makes it 0${PRIVATE.toString(8)}`;
}

function textProblem(text: string): string | undefined {
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  if (document.errors.length > 0) return "it is not one document of YAML";
  let content: Fields;
  try {
    content = fieldsOf(document.toJS());
  } catch {
    return "it has too many aliases"; // The parser's own limit.
  }
  const entries = Object.entries(LISTS).map(([list, [field]]) => ({ list, field, ...onlyEntry(content[list], field) }));
  for (const { list, field, entry, fields } of entries) {
    const allowed: readonly string[] = LISTS[list as keyof typeof LISTS][1];
    const problem =
      unknownField(fields, allowed, `its ${field}`) ?? unknownField(entry, ["name", field], `its ${field}`);
    if (problem !== undefined) return problem;
  }
  const short = entries.find(({ count }) => count !== 1);
  if (short !== undefined) return `it has ${short.count} ${short.list}; \`stint serve\` writes one`;
  return (
    unknownField(withoutPreferences(content), FIELDS, "it") ?? valueProblem(entries[0]!.fields, entries[1]!.fields)
  );
}

function valueProblem(cluster: Fields, user: Fields): string | undefined {
  const { server, extensions } = cluster;
  if (typeof server !== "string" || !LOOPBACK.test(server)) return "its server is not https://127.0.0.1 with a port";
  if (!isOneCertificate(cluster["certificate-authority-data"]))
    return "its certificate authority is not one certificate";
  if (typeof user["token"] !== "string" || user["token"] === "") return "its user has no token";
  const mark = listOf(extensions)
    .map(fieldsOf)
    .find(({ name }) => name === MARK);
  if (mark === undefined) return `it has not the mark ${MARK} of a server`;
  return fieldsOf(mark["extension"])["host"] === hostname()
    ? undefined
    : "it was written on another machine, or this one had another name";
}

/** kubectl writes empty preferences into each file that it changes. */
function withoutPreferences({ preferences, ...content }: Fields): Fields {
  return Object.keys(fieldsOf(preferences)).length === 0 ? content : { ...content, preferences };
}

/** Whether it is the base64 of one certificate in PEM. */
function isOneCertificate(data: unknown): boolean {
  const pem = typeof data === "string" ? Buffer.from(data, "base64").toString() : "";
  if (pem.split("-----BEGIN ").length !== 2) return false;
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

/** The first entry of a list, all fields of its entries, and how many it has. */
function onlyEntry(list: unknown, field: string): { entry: Fields; fields: Fields; count: number } {
  const entries = listOf(list).map(fieldsOf);
  return {
    entry: together(entries),
    fields: together(entries.map((entry) => fieldsOf(entry[field]))),
    count: entries.length,
  };
}

/** The fields of all objects in one, including one that is called __proto__. */
function together(all: readonly Fields[]): Fields {
  return Object.fromEntries(all.flatMap((fields) => Object.entries(fields)));
}

function unknownField(fields: Fields, allowed: readonly string[], owner: string): string | undefined {
  const unknown = Object.keys(fields).filter((field) => !allowed.includes(field));
  const known = unknown.find((field) => REASONS.has(field));
  if (known !== undefined) return `${owner} has ${known}, ${REASONS.get(known)}`;
  return unknown.length === 0 ? undefined : `${owner} has a field that \`stint serve\` does not write`;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
