/**
 * Starts one container: fetches the objects that its environment mentions, resolves the environment, expands $(VAR) in
 * command and args, and passes the container to the runtime.
 *
 * Invariant: a failure here is reported to the events like one in the runtime, and never inside the call. If the worker
 * has meanwhile given up the attempt (`record.run` is another one), it goes no further.
 */
import type { ApiClient } from "../client/client.ts";
import type { Clock } from "../../bindings/js/host.ts";
import type { ContainerRecord, ContainerRun } from "./container-record.ts";
import type { ContainerEvents, ContainerRuntime } from "./container-runtime.ts";
import { EnvError, envSourcesNeeded, expand, resolveEnv } from "./env.ts";
import type { EnvVar } from "./env.ts";
import { fetchEnvSources } from "./env-sources.ts";
import type { Container, Pod } from "../values/kinds.ts";

export interface ContainerStart {
  readonly pod: Pod;
  readonly podIP: string;
  readonly record: ContainerRecord;
  readonly run: ContainerRun;
}

export interface ContainerStarter {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly hostIP: string;
}

/** Starts a container as described above. It returns at once; the events report the rest. */
export function startContainer(
  starter: ContainerStarter,
  { pod, podIP, record, run }: ContainerStart,
  events: ContainerEvents,
): void {
  const { container } = record;
  fetchEnvSources(starter.client, pod.metadata.namespace!, envSourcesNeeded(container), (source, error) => {
    if (record.run !== run) return;
    try {
      if (error !== undefined) throw new EnvError(error.message);
      const env = resolveEnv(container, { pod, podIP, hostIP: starter.hostIP, source });
      run.handle = starter.runtime.startContainer(
        {
          pod,
          podIP,
          container: expandedContainer(container, env),
          isInit: record.kind !== "main",
          attempt: run.attempt,
          env,
        },
        events,
      );
    } catch (problem) {
      if (!(problem instanceof EnvError)) throw problem;
      starter.clock.defer(() => events.failed("CreateContainerConfigError", problem.message));
    }
  });
}

function isExpandable(words: readonly string[] | undefined): boolean {
  return words !== undefined && words.some((word) => word.includes("$"));
}

/** The container with its command and args expanded; the same object if there is nothing to expand. */
function expandedContainer(container: Container, env: readonly EnvVar[]): Container {
  const command: string[] | undefined = container.command;
  const args: string[] | undefined = container.args;
  if (!isExpandable(command) && !isExpandable(args)) return container;
  const variables = new Map(env.map(({ name, value }) => [name, value]));
  const expanded = { ...container };
  if (command !== undefined) expanded.command = command.map((word) => expand(word, variables));
  if (args !== undefined) expanded.args = args.map((word) => expand(word, variables));
  return expanded;
}
