/** What an engine is asked to create, field by field. */
import { expect, test } from "vitest";
import {
  type ContainerBodyRequest,
  containerBody,
  sandboxBody,
} from "../../../../host-node/runtime/container-engine/container-body.ts";
import { podVolumes } from "../../../../host-node/runtime/container-engine/pod-volumes.ts";
import type { Container } from "../../../../cluster/values/kinds.ts";
import { podOf } from "../running.ts";

const image = {
  id: "sha256:1",
  size: 1,
  entrypoint: ["/run"],
  command: ["serve"],
  user: "app:staff",
  stopSignal: "SIGTERM",
};

function bodyOf(container: object, spec: object = {}, more: Partial<ContainerBodyRequest> = {}): any {
  const pod = podOf([], container, spec);
  const [given] = pod.spec.containers;
  return containerBody({
    pod,
    container: { ...given, command: undefined, ...container } as unknown as Container,
    env: [],
    image,
    sandboxId: "box",
    sharesHostname: true,
    volumes: new Map(),
    folders: new Map(),
    messageFile: "/m",
    hasInput: false,
    labels: {},
    ...more,
  });
}

test("limits and requests become those of the engine", () => {
  const { HostConfig } = bodyOf({ resources: { limits: { memory: "64Mi", cpu: "1500m" }, requests: { cpu: "250m" } } });
  expect(HostConfig).toMatchObject({
    Memory: 67_108_864,
    MemorySwap: 67_108_864,
    NanoCpus: 1_500_000_000,
    CpuShares: 256,
  });
  expect(bodyOf({}).HostConfig).not.toHaveProperty("Memory");
  expect(bodyOf({}).HostConfig).toMatchObject({ CpuShares: 2 });
});

test("the user and group of the container, of the pod, of the image", () => {
  expect(bodyOf({})).not.toHaveProperty("User");
  expect(bodyOf({ securityContext: { runAsUser: 5 } }, { securityContext: { runAsUser: 6, runAsGroup: 7 } }).User).toBe(
    "5:7",
  );
  expect(bodyOf({ securityContext: { runAsGroup: 7 } }).User).toBe("app:7");
  expect(bodyOf({}, { securityContext: { supplementalGroups: [3], fsGroup: 4 } }).HostConfig.GroupAdd).toEqual([
    "3",
    "4",
  ]);
});

test("a user that is no number may be root", () => {
  expect(() => bodyOf({ securityContext: { runAsNonRoot: true } })).toThrow(
    /^container has runAsNonRoot and image has non-numeric user \(app\), cannot verify user is non-root \(pod: ".*", container: main\)$/,
  );
  expect(() => bodyOf({ securityContext: { runAsNonRoot: true, runAsUser: 0 } })).toThrow(
    /^container's runAsUser breaks non-root policy/,
  );
});

test("a volume is mounted as the container asks, and never more than the pod allows", () => {
  const volumes = new Map([
    ["work", { type: "volume", source: "v", readOnly: false }],
    ["secret", { type: "volume", source: "s", readOnly: true }],
  ] as const);
  const volumeMounts = [
    { name: "work", mountPath: "/w", readOnly: true },
    { name: "secret", mountPath: "/s", readOnly: false },
    { name: "unknown", mountPath: "/u" },
  ];
  const { Mounts } = bodyOf({ volumeMounts }, {}, { volumes }).HostConfig;
  expect(Mounts.map(({ Target, ReadOnly }: any) => [Target, ReadOnly])).toEqual([
    ["/w", true],
    ["/s", true],
    ["/dev/termination-log", false],
  ]);
  expect(() => bodyOf({ volumeMounts: [{ name: "work", mountPath: "/w", subPath: "x" }] }, {}, { volumes })).toThrow(
    "volumeMount work: subPath is not supported; mount the whole volume",
  );
});

test("a file or a folder of a volume that is made of objects is mounted alone, and nothing else of this machine", () => {
  const parts = new Set(["", "a", "a/b.txt"]);
  const volumes = new Map([["settings", { type: "volume", source: "v", readOnly: true, parts }]] as const);
  const folders = new Map([["v", "/engine/v"]]);
  const mounting = (part: object): any =>
    bodyOf({ volumeMounts: [{ name: "settings", mountPath: "/s", ...part }] }, {}, { volumes, folders }).HostConfig;
  for (const [subPath, path] of [
    ["a", "a"],
    ["a/", "a"],
    ["./a/b.txt", "a/b.txt"],
  ])
    expect(mounting({ subPath }).Mounts[0]).toEqual({
      Type: "bind",
      Source: `/engine/v/${path}`,
      Target: "/s",
      ReadOnly: true,
    });
  for (const subPath of ["b", "../v", "a/../../x", "/etc"])
    expect(() => mounting({ subPath })).toThrow(`volumeMount settings: the volume has no ${JSON.stringify(subPath)}`);
  expect(() => mounting({ subPathExpr: "$(A)" })).toThrow("subPath is not supported");
});

test("the sandbox has the pod's name, hosts and name servers", () => {
  const pod = podOf(
    [],
    {},
    {
      hostAliases: [{ ip: "10.0.0.1", hostnames: ["a", "b"] }],
      dnsConfig: {
        nameservers: ["1.1.1.1"],
        searches: ["x.example"],
        options: [{ name: "ndots", value: "2" }, { name: "debug" }],
      },
    },
  );
  const body: any = sandboxBody({ pod, pauseImage: "p", hasNetwork: true, volumes: [], labels: {} });
  expect(body.Hostname).toBe(pod.metadata.name);
  expect(body.HostConfig).toMatchObject({
    NetworkMode: "bridge",
    ExtraHosts: ["a:10.0.0.1", "b:10.0.0.1"],
    Dns: ["1.1.1.1"],
    DnsSearch: ["x.example"],
    DnsOptions: ["ndots:2", "debug"],
  });
});

test("a file that leads out of its volume is refused", () => {
  const pod = podOf([], {}, { volumes: [{ name: "v", configMap: { name: "c" } }] });
  const files = new Map([["v", [{ path: "../x", bytes: Buffer.from(""), mode: 0o644 }]]]);
  const options = { prefix: "p", allowHostPath: false, hasMemorySizes: true, claims: undefined };
  expect(() => podVolumes(pod, files, options)).toThrow('volume "v": the path "../x" leads out of it');
});
