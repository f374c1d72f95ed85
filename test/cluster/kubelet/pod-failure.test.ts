/**
 * Which container is blamed for the failure of a pod: a table of pods. What a program makes of it is tested where that
 * program is.
 */
import { describe, expect, it } from "vitest";
import { failedContainer } from "../../../cluster/kubelet/pod-failure.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";

interface Container {
  /** `init`, `sidecar`, `main`, or `helper`: a main container with `restartPolicy: Always`. */
  readonly is: "init" | "sidecar" | "main" | "helper";
  readonly state: object;
  readonly lastState?: object;
  readonly spec?: object;
}
interface Case {
  readonly of: string;
  readonly containers: Readonly<Record<string, Container>>;
  readonly phase?: string;
  readonly reason?: string;
  readonly restartPolicy?: "Never" | "OnFailure";
  readonly deleted?: true;
  /** The name of the container and its exit code. */
  readonly blamed: readonly [name: string, exitCode: number] | undefined;
}

const ended = (exitCode: number, second = 0, reason = exitCode === 0 ? "Completed" : "Error"): object => ({
  terminated: { exitCode, reason, finishedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString() },
});
const running = { running: {} };
const waits = (reason: string): object => ({ waiting: { reason } });

function podOf({ containers, phase, reason, restartPolicy = "Never", deleted }: Omit<Case, "of" | "blamed">): Pod {
  const entries = Object.entries(containers);
  const isInit = ({ is }: Container): boolean => is === "init" || is === "sidecar";
  const specs = (init: boolean): object[] =>
    entries
      .filter(([, container]) => isInit(container) === init)
      .map(([name, { is, spec }]) => ({
        name,
        ...(is === "sidecar" || is === "helper" ? { restartPolicy: "Always" } : {}),
        ...spec,
      }));
  const statuses = (init: boolean): object[] =>
    entries
      .filter(([, container]) => isInit(container) === init)
      .map(([name, { state, lastState = {} }]) => ({ name, restartCount: 0, state, lastState }));
  return {
    metadata: { name: "p", uid: "u", ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
    spec: { restartPolicy, initContainers: specs(true), containers: specs(false) },
    status: { phase, reason, initContainerStatuses: statuses(true), containerStatuses: statuses(false) },
  } as unknown as Pod;
}

const CASES: readonly Case[] = [
  {
    of: "a sidecar that the kubelet stopped after the main container had failed",
    phase: "Failed",
    containers: { logs: { is: "sidecar", state: ended(143, 2) }, tests: { is: "main", state: ended(1, 2) } },
    blamed: ["tests", 1],
  },
  {
    of: "a sidecar that was stopped when the main container had succeeded",
    phase: "Succeeded",
    containers: { logs: { is: "sidecar", state: ended(143, 3) }, tests: { is: "main", state: ended(0, 2) } },
    blamed: undefined,
  },
  {
    of: "a sidecar that was killed, before the phase of the pod is written",
    phase: "Running",
    containers: { logs: { is: "sidecar", state: ended(137, 32) }, tests: { is: "main", state: ended(0, 2) } },
    blamed: undefined,
  },
  {
    of: "a sidecar that was stopped when the pod was evicted: the pod says why",
    phase: "Failed",
    reason: "Evicted",
    containers: { logs: { is: "sidecar", state: ended(143) }, main: { is: "main", state: ended(0) } },
    blamed: undefined,
  },
  {
    of: "an ordinary init container, so that the main container never ran",
    phase: "Failed",
    containers: {
      logs: { is: "sidecar", state: ended(143, 3) },
      fetch: { is: "init", state: ended(7, 2) },
      main: { is: "main", state: waits("PodInitializing") },
    },
    blamed: ["fetch", 7],
  },
  {
    of: "a main container that failed first, and one that was killed later",
    phase: "Failed",
    containers: { proxy: { is: "main", state: ended(137, 9) }, work: { is: "main", state: ended(2, 4) } },
    blamed: ["work", 2],
  },
  {
    of: "a main container that failed in the second in which another one was stopped",
    phase: "Failed",
    containers: { proxy: { is: "main", state: ended(143, 4) }, work: { is: "main", state: ended(2, 4) } },
    blamed: ["work", 2],
  },
  {
    of: "a main container that had no memory left, in the second in which another one failed",
    phase: "Failed",
    containers: { a: { is: "main", state: ended(137, 4, "OOMKilled") }, b: { is: "main", state: ended(1, 4) } },
    blamed: ["a", 137],
  },
  {
    of: "a helper that was stopped with its pod, beside a main container that had failed",
    phase: "Failed",
    reason: "DeadlineExceeded",
    containers: { selenium: { is: "helper", state: ended(143, 60) }, tests: { is: "main", state: ended(1, 2) } },
    blamed: ["tests", 1],
  },
  {
    of: "a helper that was stopped with its pod, beside a main container that had succeeded",
    phase: "Failed",
    reason: "DeadlineExceeded",
    containers: { tests: { is: "main", state: ended(0, 2) }, selenium: { is: "helper", state: ended(143, 60) } },
    blamed: undefined,
  },
  {
    of: "a main container that was stopped because its pod is being deleted",
    phase: "Running",
    deleted: true,
    containers: { logs: { is: "sidecar", state: ended(143) }, main: { is: "main", state: ended(143) } },
    blamed: ["main", 143],
  },
  {
    of: "a sidecar that fails while the main container runs",
    phase: "Running",
    containers: { logs: { is: "sidecar", state: ended(3) }, main: { is: "main", state: running } },
    blamed: ["logs", 3],
  },
  {
    of: "a main container that failed and will be restarted, beside a sidecar",
    phase: "Running",
    restartPolicy: "OnFailure",
    containers: { logs: { is: "sidecar", state: ended(2, 8) }, main: { is: "main", state: ended(5, 8) } },
    blamed: ["main", 5],
  },
  {
    of: "a container that a rule restarted in place and that then succeeded",
    phase: "Succeeded",
    containers: { main: { is: "main", state: ended(0, 8), lastState: ended(42, 4) } },
    blamed: undefined,
  },
  { of: "a pod without statuses", phase: "Failed", reason: "NodeLost", containers: {}, blamed: undefined },
];

describe("failedContainer", () => {
  it.each(CASES)("of $of", ({ of: _, blamed, ...parts }) => {
    const found = failedContainer(podOf(parts));
    expect(found && [found.status.name, found.end.exitCode]).toEqual(blamed);
  });

  it("says in which list the container is", () => {
    const init = podOf({ containers: { fetch: { is: "init", state: ended(7) } } });
    expect(failedContainer(init)?.list).toBe("initContainers");
    const main = podOf({ containers: { main: { is: "main", state: ended(7) } } });
    expect(failedContainer(main)?.list).toBe("containers");
  });
});
