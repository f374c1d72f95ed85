/**
 * The credentials of a pod's imagePullSecrets for one registry, in the form that an engine takes.
 *
 * Invariant: they are sent to the engine only, and are in no message. A Secret that cannot be read gives none. Source:
 * pkg/credentialprovider/config.go.
 */
import type { ImageName } from "./image-name.ts";
import type { Secret } from "../../../cluster/values/kinds.ts";

/** An entry of a Docker configuration file. */
interface Entry {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
}

/** The value of the header X-Registry-Auth; undefined: no Secret is for this image. */
export function registryAuth(secrets: readonly Secret[], image: ImageName): string | undefined {
  for (const [address, entry] of secrets.flatMap(entriesOf)) {
    if (!isFor(address, image)) continue;
    const credentials = credentialsOf(entry);
    if (credentials === undefined) continue;
    return Buffer.from(JSON.stringify({ ...credentials, serveraddress: image.registry })).toString("base64url");
  }
  return undefined;
}

function entriesOf({ data }: Secret): [string, Entry][] {
  try {
    if (data?.[".dockerconfigjson"] !== undefined) return entriesIn(decoded(data[".dockerconfigjson"]).auths);
    if (data?.[".dockercfg"] !== undefined) return entriesIn(decoded(data[".dockercfg"]));
  } catch {
    // Not JSON: as if it were not there.
  }
  return [];
}

function decoded(base64: string): any {
  return JSON.parse(Buffer.from(base64, "base64").toString());
}

/** The longest address first, as it says the most. */
function entriesIn(auths: unknown): [string, Entry][] {
  const entries = Object.entries((auths ?? {}) as Record<string, Entry | null>);
  return entries
    .flatMap(([address, entry]) => (entry === null ? [] : [[address, entry] as [string, Entry]]))
    .sort(([a], [b]) => b.length - a.length);
}

/** `registry.example`, `https://index.docker.io/v1/`, `registry.example:5000/team` */
function isFor(address: string, { registry, repository }: ImageName): boolean {
  const [host = "", ...path] = address.replace(/^https?:\/\//, "").split("/");
  const isHub = registry === "docker.io" && /^(?:index\.|registry-1\.)?docker\.io$/.test(host);
  const prefix = path.filter((part) => part !== "" && part !== "v1" && part !== "v2").join("/");
  const isInside = prefix === "" || repository === prefix || repository.startsWith(`${prefix}/`);
  return (isHub || host === registry) && isInside;
}

function credentialsOf({ auth, username, password, identitytoken }: Entry): object | undefined {
  if (identitytoken) return { identitytoken };
  if (username !== undefined && password !== undefined) return { username, password };
  const text = Buffer.from(auth ?? "", "base64").toString();
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
