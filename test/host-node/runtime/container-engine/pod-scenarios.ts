/** Scenarios of whole pods: what is left of them in the engine, and which of them are refused. */
import { hostname } from "node:os";
import { expect, test } from "vitest";
import type { Pod } from "../../../../cluster/values/kinds.ts";
import { EngineClient } from "../../../../host-node/runtime/container-engine/engine-client.ts";
import { createPod, run, start } from "../running.ts";
import { running, type ScenarioEngine } from "./scenario-engine.ts";

/** What is removed from an engine, and what stays. */
export function removalScenarios(on: ScenarioEngine): void {
  test("when a pod is removed, nothing of it is left in the engine", async () => {
    const volumes = [{ name: "work", emptyDir: {} }];
    const pod = on.shell("exit 0", { volumeMounts: [{ name: "work", mountPath: "/work" }] }, { volumes });
    await run(on.runtime, pod);
    const { uid } = pod.metadata;
    expect((await on.inEngine(uid)).length).toBe(2);
    on.runtime.removePod(uid);
    while ((await on.inEngine(uid)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test("close ends what runs and removes it, and nothing else", async () => {
    const other = await on.connect();
    const pod = on.shell("echo up; while :; do sleep 0.05; done");
    await running(other, pod);
    const staying = await running(on.runtime, on.shell("echo up; while :; do sleep 0.05; done"));
    await other.close();
    expect(await on.inEngine(pod.metadata.uid)).toEqual([]);
    staying.handle.stop(0);
    expect(await staying.end).toEqual({ exit: { exitCode: 137 } });
  });

  test("what a killed process left behind is removed by the next", async () => {
    const { client } = await EngineClient.connect(on.subject.socketPath);
    const [{ Id }] = await client.json("GET", "/images/json");
    // No process has a number beyond the kernel's limit of them.
    const gone = `${hostname()}/4999999`;
    const Labels = await makeVolume(client, "stint-left", gone);
    const HostConfig = { Mounts: [{ Type: "volume", Source: "stint-left", Target: "/left" }] };
    const body = { Image: Id, Entrypoint: ["/bin/sh"], Labels, HostConfig };
    await client.json("POST", "/containers/create", { query: { name: "stint-left" }, body });
    const alone = `${hostname()}/4999998`;
    await makeVolume(client, "stint-left-alone", alone);
    client.close();
    const next = await on.connect();
    expect(next.removedOf.toSorted()).toEqual([alone, gone]);
    expect(await on.inEngine("stint-left")).toEqual([]);
    await next.close();
  });
}

/** Pods and containers that ask for privileges. */
export function refusalScenarios(on: ScenarioEngine): void {
  test("privileges and paths of the machine are refused unless they are allowed", async () => {
    const pod = on.shell(
      "exit 0",
      { securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] } } },
      {
        hostNetwork: true,
        volumes: [{ name: "etc", hostPath: { path: "/etc" } }],
      },
    );
    const paths = on.runtime.refused(pod).map(({ path }) => path);
    expect(paths).toEqual([
      "spec.hostNetwork",
      "spec.containers[0].securityContext.privileged",
      "spec.containers[0].securityContext.capabilities.add",
      "spec.volumes[0].hostPath",
    ]);
    await expect(createPod(on.runtime, pod)).rejects.toThrow("spec.hostNetwork is refused");
    const allowing = await on.connect({ allowHostPath: true, allowPrivileged: true });
    expect(allowing.refused(pod)).toEqual([]);
    await allowing.close();
  });

  test("a container that a pod gets later is refused privileges, too", async () => {
    const pod = on.shell("exit 0");
    await createPod(on.runtime, pod);
    const powers = [
      [{ privileged: true }, "privileged"],
      [{ capabilities: { add: ["SYS_ADMIN"] } }, "capabilities.add"],
      [{ seccompProfile: { type: "Unconfined" } }, "seccompProfile.type"],
    ] as const;
    for (const [securityContext, field] of powers) {
      const added = {
        ...pod,
        spec: { containers: [{ ...pod.spec.containers[0], securityContext }] },
      } as unknown as Pod;
      const { failed } = await start(on.runtime, added).end;
      expect(failed?.reason).toBe("CreateContainerConfigError");
      expect(failed?.message).toContain(`securityContext.${field} of container main is refused: `);
    }
    expect((await start(on.runtime, pod).end).exit).toEqual({ exitCode: 0 });
  });
}

/** @returns its labels */
async function makeVolume(client: EngineClient, Name: string, maker: string): Promise<Record<string, string>> {
  const Labels = { "dev.stint.process": maker };
  await client.json("POST", "/volumes/create", { body: { Name, Labels } });
  return Labels;
}
