/** The engine that the scenarios run on, with the runtime that most of them use, and what it reported. */
import type { Pod } from "../../../../cluster/values/kinds.ts";
import { EngineClient } from "../../../../host-node/runtime/container-engine/engine-client.ts";
import {
  EngineRuntime,
  type EngineRuntimeOptions,
} from "../../../../host-node/runtime/container-engine/engine-runtime.ts";
import type { EngineName } from "../../../../host-node/runtime/container-engine/engine-socket.ts";
import { createPod, podOf, type Run, start } from "../running.ts";

/** The credentials of an image that not everybody may pull. */
export const PULLER = { user: "puller", password: "s3cret" };

/** An engine, and what can be pulled from it: images whose only program is /bin/sh, which has the usual commands. */
export interface Subject {
  readonly name: EngineName;
  readonly socketPath: string;
  readonly images: {
    /** No entrypoint, and no command but `/bin/sh`. */
    readonly shell: string;
    /** Entrypoint `/bin/sh -c`, command `echo from the image`, variable `FROM=image`, folder /tmp, user 1000. */
    readonly configured: string;
    /** Only with the credentials of PULLER. */
    readonly closed: string;
    /** Its registry does not have it. */
    readonly missing: string;
  };
  close(): Promise<void>;
}

export class ScenarioEngine {
  /** A fake runs commands as processes of this machine, and so has no volumes, users and networks. */
  readonly isReal: boolean;
  /** What was reported of pulls, in order. */
  readonly pulls: string[] = [];
  /** `container: reason: message`, in order. */
  readonly events: string[] = [];
  readonly #open: () => Promise<Subject>;
  #subject: Subject | undefined;
  #runtime: EngineRuntime | undefined;

  constructor(open: () => Promise<Subject>, isReal: boolean) {
    this.#open = open;
    this.isReal = isReal;
  }

  async start(): Promise<void> {
    this.#subject = await this.#open();
    this.#runtime = await this.connect();
  }

  async stop(): Promise<void> {
    await this.#runtime?.close();
    await this.#subject?.close();
  }

  /** There once it is started. */
  get subject(): Subject {
    return this.#subject!;
  }

  /** There once it is started. */
  get runtime(): EngineRuntime {
    return this.#runtime!;
  }

  /** Another runtime on the same engine, which the caller closes. */
  connect(options: Partial<EngineRuntimeOptions> = {}): Promise<EngineRuntime> {
    return EngineRuntime.connect({
      name: this.subject.name,
      socketPath: this.subject.socketPath,
      network: false,
      allowHostPath: false,
      allowPrivileged: false,
      findSecret: () => undefined,
      onPull: {
        pulling: (image) => this.pulls.push(`pulling ${image}`),
        progress: () => {},
        pulled: (image, size) => this.pulls.push(`pulled ${image} of ${size > 0 ? "some" : "no"} bytes`),
        present: (image) => this.pulls.push(`present ${image}`),
      },
      onEvent: ({ container, isInit }, reason, message) =>
        this.events.push(`${isInit ? "init " : ""}${container["name"]}: ${reason}: ${message}`),
      ...options,
    });
  }

  /** A pod whose container runs a script in the image with nothing but a shell. */
  shell(script: string, container: object = {}, spec: object = {}): Pod {
    return podOf(["/bin/sh", "-c", script], { image: this.subject.images.shell, ...container }, spec);
  }

  /** The containers and volumes of the engine whose names have this in them. */
  async inEngine(text: string): Promise<string[]> {
    const { client } = await EngineClient.connect(this.subject.socketPath);
    const containers: { Names: string[] }[] = await client.json("GET", "/containers/json", { query: { all: "1" } });
    const { Volumes } = await client.json("GET", "/volumes");
    client.close();
    const volumes = ((Volumes ?? []) as { Name: string }[]).map(({ Name }) => Name);
    return [...containers.flatMap(({ Names }) => Names), ...volumes].filter((name) => name.includes(text));
  }
}

/** Starts the first container of a pod whose script prints `up`, and waits until it has. */
export async function running(runtime: EngineRuntime, pod: Pod): Promise<Run> {
  await createPod(runtime, pod);
  const started = start(runtime, pod);
  await started.outputHas("up\n");
  return started;
}
