/**
 * The kubeconfig that a command finds in the current folder, without being given its path. It is taken only if it is
 * what `stint serve` on this machine writes: kubeconfig.ts.
 *
 * Invariant: such a file starts no program, names no other file, and leads nowhere but to loopback. Every field that
 * `stint serve` does not write is refused, so a field that kubeconfigs get later is refused, too. Sentences quote
 * nothing of the file, because it may hold secrets; only fields of a kubeconfig are named.
 */
import { hostname } from "node:os";
import { parseDocument } from "yaml";
import { readOwnFile } from "../own-file.ts";
import { UsageError } from "../usage-error.ts";
import { MARK, MAX_KUBECONFIG_BYTES } from "./kubeconfig.ts";

const PRIVATE = 0o600;
const PERMISSIONS = 0o777;
const LOOPBACK = /^https:\/\/127\.0\.0\.1:\d{1,5}$/;

/** What `stint serve` writes: the lists and, of the one entry of each, its fields. */
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

/** The text of a file that was found. @param shown its path for people. @throws UsageError when it is not taken */
export function readFoundKubeconfig(path: string, shown: string, user?: number): string {
  const file = readOwnFile(path, MAX_KUBECONFIG_BYTES, user);
  const problem = "problem" in file ? file.problem : (modeProblem(file.stats.mode) ?? textProblem(file.text));
  if (problem !== undefined || "problem" in file)
    throw new UsageError(
      [
        `${shown} is not taken: ${problem}. A kubeconfig that is found and not named is taken only as \`stint serve\` writes it.`,
        `If that file is meant, name it: --kubeconfig ${shown}. If not, name another, such as --kubeconfig ~/.kube/config, or remove it.`,
      ].join("\n"),
    );
  return file.text;
}

function modeProblem(mode: number): string | undefined {
  const given = mode & PERMISSIONS;
  if (given === PRIVATE) return undefined;
  return `its mode is 0${given.toString(8).padStart(3, "0")}; \`stint serve\` makes it 0${PRIVATE.toString(8)}`;
}

function textProblem(text: string): string | undefined {
  const document = parseDocument(text, { prettyErrors: false });
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
  return unknownField(content, FIELDS, "it") ?? valueProblem(entries[0]!.fields, entries[1]!.fields);
}

function valueProblem(cluster: Fields, user: Fields): string | undefined {
  const { server, extensions } = cluster;
  if (typeof server !== "string" || !LOOPBACK.test(server)) return "its server is not https://127.0.0.1 with a port";
  if (typeof user["token"] !== "string" || user["token"] === "") return "its user has no token";
  const mark = listOf(extensions)
    .map(fieldsOf)
    .find(({ name }) => name === MARK);
  if (mark === undefined) return `it has not the mark ${MARK} of a server`;
  return fieldsOf(mark["extension"])["host"] === hostname()
    ? undefined
    : "it was written on another machine, or this one had another name";
}

/** The first entry of a list, all fields of its entries, and how many it has. */
function onlyEntry(list: unknown, field: string): { entry: Fields; fields: Fields; count: number } {
  const entries = listOf(list).map(fieldsOf);
  return {
    entry: Object.assign({}, ...entries) as Fields,
    fields: Object.assign({}, ...entries.map((entry) => fieldsOf(entry[field]))) as Fields,
    count: entries.length,
  };
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
