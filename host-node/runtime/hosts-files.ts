/**
 * The file /etc/hosts of each pod: what this machine has there, the pod's own name, its `hostAliases`, and the names
 * that headless Services give to pods.
 *
 * Invariant: a file that containers have mounted is changed in place, since a new file would not show there. Leaves
 * out a DNS server: only programs that read /etc/hosts find these names, as the C library and Node do.
 */
import { closeSync, ftruncateSync, lstatSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import type { ServiceName } from "../../cluster/service-names/service-names.ts";
import type { Pod } from "../../cluster/values/kinds.ts";

export const HOSTS_PATH = "/etc/hosts";
const CLUSTER_DOMAIN = "svc.cluster.local";

interface HostsFile {
  readonly path: string;
  readonly namespace: string;
  /** The part that stays the same while the pod exists. */
  readonly beginning: string;
}

export class HostsFiles {
  /** Undefined: no file can be mounted in its place. */
  readonly #ofMachine = textOfMachine();
  readonly #files = new Map<string, HostsFile>();
  #names: readonly ServiceName[] = [];

  /** Creates the file of a pod, unless it has one. False: no file can be mounted there. */
  add(pod: Pod, podIP: string, hostname: string, path: string): boolean {
    if (this.#ofMachine === undefined) return false;
    const { uid, namespace = "" } = pod.metadata;
    if (this.#files.has(uid)) return true;
    const beginning = [this.#ofMachine.trimEnd(), ...ownLines(pod, podIP, hostname), ""].join("\n");
    const file = { path, namespace, beginning };
    this.#files.set(uid, file);
    writeFileSync(path, this.#textOf(file), { mode: 0o644 });
    return true;
  }

  /** Call it before the file is removed. */
  forget(podUid: string): void {
    this.#files.delete(podUid);
  }

  /** @param names all present names */
  setNames(names: readonly ServiceName[]): void {
    this.#names = names;
    for (const file of this.#files.values()) overwrite(file.path, this.#textOf(file));
  }

  #textOf({ namespace, beginning }: HostsFile): string {
    const lines = this.#names.map((name) => `${name.address}\t${spellingsOf(name, namespace).join(" ")}\n`);
    return `${beginning}${lines.join("")}`;
  }
}

function ownLines({ metadata, spec }: Pod, podIP: string, hostname: string): string[] {
  const domain = spec.subdomain && `${hostname}.${spec.subdomain}.${metadata.namespace}.${CLUSTER_DOMAIN}`;
  const own = [`${podIP}\t${[domain, hostname].filter(Boolean).join("\t")}`];
  const aliases = spec.hostAliases ?? [];
  return [...own, ...aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}`)];
}

/** A pod finds the names of its namespace without their domain. */
function spellingsOf({ names, namespace }: ServiceName, here: string): string[] {
  return names.flatMap((name) => [
    `${name}.${namespace}.${CLUSTER_DOMAIN}`,
    `${name}.${namespace}.svc`,
    `${name}.${namespace}`,
    ...(namespace === here ? [name] : []),
  ]);
}

function textOfMachine(): string | undefined {
  try {
    // A link may lead to a place where nothing can be mounted.
    return lstatSync(HOSTS_PATH).isFile() ? readFileSync(HOSTS_PATH, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Writing before truncating ensures that a reader never misses what both versions contain. */
function overwrite(path: string, text: string): void {
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, writeSync(file, text, 0));
  } finally {
    closeSync(file);
  }
}
