/** What local processes do not honour is named field by field, and what the API server fills in by default is not. */
import { describe, expect, it } from "vitest";
import { type Capabilities, unsupportedFields } from "../../../host-node/runtime/unsupported.ts";
import { VisibleFiles } from "../../../host-node/runtime/visible-files.ts";
import { podOf } from "./running.ts";

const visible = new VisibleFiles([], undefined);
const nothing = {
  hasInput: false,
  hasTerminals: false,
  hasClaims: false,
  hasServiceNames: false,
  cpuLimitProblem: () => "no control group for cpu is mounted",
};
const isolated: Capabilities = { ...nothing, visible, network: false };
const bare: Capabilities = { ...nothing, visible: undefined, network: true };
const paths = (pod: ReturnType<typeof podOf>, capabilities = isolated): string[] =>
  unsupportedFields(pod, capabilities).map(({ path }) => path);

const LIMITS = ["resources.limits.cpu", "resources.limits.example.org/gpu"];

describe("unsupportedFields", () => {
  it("names only the image of a pod as the API server stores it", () => {
    const pod = podOf(
      ["true"],
      {
        imagePullPolicy: "Always",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
      {
        dnsPolicy: "ClusterFirst",
        enableServiceLinks: true,
        preemptionPolicy: "PreemptLowerPriority",
        priority: 0,
        restartPolicy: "Never",
        schedulerName: "default-scheduler",
        securityContext: {},
        serviceAccount: "default",
        serviceAccountName: "default",
        terminationGracePeriodSeconds: 30,
        nodeName: "n",
        hostname: "pi-0",
        tolerations: [
          { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
        ],
      },
    );
    expect(unsupportedFields(pod, isolated)).toEqual([
      {
        path: "spec.containers[0].image",
        why: "the command runs on this machine, not in an image",
        note: "commands run on this machine, not in the images of their containers; --runtime docker or podman runs images",
      },
    ]);
    expect(paths(pod, bare)).toEqual(["spec.containers[0].image"]);
  });

  it("names of the downward API what becomes no file", () => {
    const items = [
      { path: "a", fieldRef: { fieldPath: "metadata.name" } },
      { path: "b", resourceFieldRef: { containerName: "main", resource: "limits.cpu" } },
    ];
    const volumes = [
      { name: "v", downwardAPI: { items, defaultMode: 420 } },
      { name: "w", projected: { sources: [{ downwardAPI: { items } }] } },
    ];
    expect(paths(podOf(["true"], {}, { volumes })).slice(1)).toEqual([
      "spec.volumes[0].downwardAPI.items[1].resourceFieldRef",
      "spec.volumes[1].projected.sources[0].downwardAPI.items[1].resourceFieldRef",
    ]);
  });

  it("names of probes what is not asked", () => {
    const probed = {
      livenessProbe: { grpc: { port: 1 } },
      readinessProbe: { httpGet: { port: 1, host: "example.org" }, periodSeconds: 3 },
      startupProbe: { tcpSocket: { port: 1, host: "" } },
    };
    expect(paths(podOf(["true"], probed))).toEqual([
      "spec.containers[0].image",
      "spec.containers[0].readinessProbe.httpGet.host",
    ]);
  });

  it("honours a limit of processor time where there can be one, and otherwise says why not", () => {
    const pod = podOf(["true"], { resources: { limits: { cpu: "1" } } });
    const path = "spec.containers[0].resources.limits.cpu";
    const why = "processor time has no limit: no control group for cpu is mounted";
    expect(unsupportedFields(pod, isolated)).toContainEqual({ path, why });
    expect(paths(pod, { ...isolated, cpuLimitProblem: () => undefined })).not.toContain(path);
  });

  it("names each field of each container, init containers too", () => {
    const container = {
      ports: [{ containerPort: 80 }],
      resources: { limits: { cpu: "1", memory: "1Gi", "example.org/gpu": 1 }, requests: { cpu: "1" } },
      securityContext: { runAsUser: 1 },
      tty: true,
      stdin: false,
    };
    const pod = podOf(["true"], container, { initContainers: [{ name: "i", image: "x", stdin: true }] });
    expect(paths(pod)).toEqual([
      ...["image", "ports", ...LIMITS, "securityContext", "tty"].map((field) => `spec.containers[0].${field}`),
      ...["image", "stdin"].map((field) => `spec.initContainers[0].${field}`),
    ]);
  });

  it("honours host names inside bubblewrap, and those of peers where they are resolved", () => {
    const pod = podOf(["true"], { image: null }, { subdomain: "peers", hostAliases: [{ ip: "127.0.0.1" }] });
    const connected = { ...isolated, network: true };
    expect(paths(pod, { ...connected, hasServiceNames: true })).toEqual([]);
    expect(unsupportedFields(pod, connected)).toEqual([
      {
        path: "spec.subdomain",
        why: "there is no cluster DNS; stint serve knows the names of headless Services",
      },
    ]);
    expect(unsupportedFields(pod, { ...isolated, hasServiceNames: true })).toEqual([
      { path: "spec.subdomain", why: "there is no network; ask for it with --network" },
    ]);
    expect(paths(pod, { ...bare, hasServiceNames: true })).toEqual(["spec.subdomain", "spec.hostAliases"]);
  });

  it("names fields that it does not know", () => {
    expect(unsupportedFields(podOf(["true"], { image: null }, { fieldOfTomorrow: 1 }), isolated)).toEqual([
      { path: "spec.fieldOfTomorrow", why: "not known to the process runtime" },
    ]);
  });
});

describe("unsupportedFields, of what depends on the runtime", () => {
  it("honours volumes inside bubblewrap only, and not of all kinds", () => {
    const mounts = [
      { name: "scratch", mountPath: "/a" },
      { name: "config", mountPath: "/b" },
    ];
    const pod = podOf(
      ["true"],
      { image: null, volumeMounts: mounts },
      {
        volumes: [
          { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
          { name: "config", configMap: { name: "c", defaultMode: 420 } },
          {
            name: "all",
            projected: {
              defaultMode: 420,
              sources: [{ secret: { name: "s", optional: true } }, { serviceAccountToken: { path: "t" } }],
            },
          },
          { name: "other", nfs: {} },
        ],
      },
    );
    expect(paths(pod)).toEqual(["spec.volumes[2].projected.sources[1].serviceAccountToken", "spec.volumes[3].nfs"]);
    expect(paths(pod, bare)).toEqual([
      "spec.volumes[0].emptyDir",
      "spec.volumes[1].configMap",
      "spec.volumes[2].projected",
      "spec.volumes[3].nfs",
    ]);
  });

  it("names parts of a mount that it cannot do", () => {
    const pod = podOf(
      ["true"],
      { image: null, volumeMounts: [{ name: "d", mountPath: "/a", subPath: "x", mountPropagation: "None" }] },
      { volumes: [{ name: "d", emptyDir: {} }] },
    );
    expect(paths(pod)).toEqual(["spec.containers[0].volumeMounts[0].subPath"]);
  });

  it("honours hostNetwork where there is a network", () => {
    const pod = podOf(["true"], { image: null }, { hostNetwork: true });
    expect(paths(pod)).toEqual(["spec.hostNetwork"]);
    expect(paths(pod, { ...isolated, network: true })).toEqual([]);
    expect(paths(pod, bare)).toEqual([]);
  });

  it("honours standard input and a terminal where clients may attach", () => {
    const pod = podOf(["true"], { image: null, stdin: true, stdinOnce: true, tty: true });
    const [stdin, stdinOnce, tty] = ["stdin", "stdinOnce", "tty"].map((field) => `spec.containers[0].${field}`);
    expect(paths(pod)).toEqual([stdin, stdinOnce, tty]);
    expect(paths(pod, { ...isolated, hasInput: true })).toEqual([tty]);
    expect(paths(pod, { ...isolated, hasInput: true, hasTerminals: true })).toEqual([]);
  });

  it("honours a termination message where a file can be made", () => {
    const at = (terminationMessagePath: string): string[] =>
      paths(podOf(["true"], { image: null, terminationMessagePath }));
    expect(at("/tmp/message")).toEqual([]);
    expect(at("/etc/message")).toEqual(["spec.containers[0].terminationMessagePath"]);
    const inVolume = podOf(
      ["true"],
      { image: null, terminationMessagePath: "/data/message", volumeMounts: [{ name: "d", mountPath: "/data" }] },
      { volumes: [{ name: "d", emptyDir: {} }] },
    );
    expect(paths(inVolume)).toEqual(["spec.containers[0].terminationMessagePath"]);
  });
});
