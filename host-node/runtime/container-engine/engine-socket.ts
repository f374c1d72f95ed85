/**
 * Finds the socket on which a container engine of this machine answers: Docker's, or the one on which Podman speaks the
 * same API. Leaves out engines of other machines, which Stint does not use.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../usage-error.ts";

export type EngineName = "docker" | "podman";
type Environment = Readonly<Record<string, string | undefined>>;

interface Engine {
  readonly title: string;
  /** The variable in which its own command looks for the socket. */
  readonly variable: string;
  places(environment: Environment): readonly string[];
  readonly howToStart: string;
}

const ENGINES: Readonly<Record<EngineName, Engine>> = {
  docker: {
    title: "Docker",
    variable: "DOCKER_HOST",
    places: ({ XDG_RUNTIME_DIR: runtime, HOME: home }) => [
      "/var/run/docker.sock",
      ...(runtime ? [join(runtime, "docker.sock")] : []),
      ...(home ? [join(home, ".docker/run/docker.sock")] : []),
    ],
    howToStart: "systemctl start docker",
  },
  podman: {
    title: "Podman",
    variable: "CONTAINER_HOST",
    places: ({ XDG_RUNTIME_DIR: runtime }) => [
      ...(runtime ? [join(runtime, "podman/podman.sock")] : []),
      "/run/podman/podman.sock",
    ],
    howToStart: "systemctl --user start podman.socket",
  },
};

export function isEngine(runtime: string): runtime is EngineName {
  return Object.hasOwn(ENGINES, runtime);
}

/**
 * @param given the value of --engine-socket
 * @returns the path of the socket
 * @throws UsageError with the places that were searched
 */
export function findEngineSocket(name: EngineName, given: string | undefined, environment: Environment): string {
  if (given !== undefined) {
    if (isSocket(given)) return given;
    throw new UsageError(`--engine-socket ${given}: there is no socket; name the one on which the engine listens`);
  }
  const { title, variable, places, howToStart } = ENGINES[name];
  const named = environment[variable];
  if (named) return socketIn(variable, named);
  const candidates = places(environment);
  const found = candidates.find(isSocket);
  if (found !== undefined) return found;
  throw new UsageError(
    [
      `--runtime ${name} is given, but no socket of ${title} was found: $${variable} is not set, and there is none at`,
      `${candidates.join(", ")}.`,
      `Start the engine (${howToStart}), or name its socket with --engine-socket.`,
    ].join("\n"),
  );
}

function socketIn(variable: string, address: string): string {
  const path = address.replace(/^unix:\/\//, "");
  if (path === address)
    throw new UsageError(
      `$${variable} is ${JSON.stringify(address)}; allowed is the socket of an engine of this machine: unix:///PATH`,
    );
  if (!isSocket(path)) throw new UsageError(`$${variable} is ${JSON.stringify(address)}, but there is no socket`);
  return path;
}

function isSocket(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  } catch {
    return false; // A folder above it may not be searched.
  }
}
