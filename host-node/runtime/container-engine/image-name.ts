/**
 * The name of an image as Kubernetes reads it: without a registry it is on Docker Hub, without a tag and digest it is
 * `latest`. The grammar is that of the distribution specification.
 */

export interface ImageName {
  /** `docker.io`, `registry.example:5000` */
  readonly registry: string;
  /** `library/busybox` */
  readonly repository: string;
  /** The whole name: `docker.io/library/busybox:1.36`, or with @sha256:… */
  readonly canonical: string;
  /** `1.36`, or the digest: what the name adds to the repository. */
  readonly version: string;
  readonly hasDigest: boolean;
}

const DOCKER_HUB = "docker.io";
const MAX_REPOSITORY_LENGTH = 255;
const HOST = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Undefined: it is no name of an image. */
export function parseImageName(text: string): ImageName | undefined {
  const [named = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const slash = named.indexOf("/");
  const first = named.slice(0, Math.max(slash, 0));
  const hasRegistry = /[.:A-Z]/.test(first) || first === "localhost";
  const registry = hasRegistry ? first : DOCKER_HUB;
  const path = hasRegistry ? named.slice(slash + 1) : named;
  const colon = path.lastIndexOf(":");
  const [short, tag] = colon < 0 ? [path, undefined] : [path.slice(0, colon), path.slice(colon + 1)];
  const repository = registry === DOCKER_HUB && !short.includes("/") ? `library/${short}` : short;
  if (!HOST.test(registry) || !REPOSITORY.test(repository) || repository.length > MAX_REPOSITORY_LENGTH)
    return undefined;
  if (tag !== undefined && !TAG.test(tag)) return undefined;
  const version = digest ?? tag ?? "latest";
  const canonical = `${registry}/${repository}${digest === undefined ? ":" : "@"}${version}`;
  return { registry, repository, canonical, version, hasDigest: digest !== undefined };
}
