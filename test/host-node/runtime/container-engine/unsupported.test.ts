/** Which fields of a pod are named as without effect in containers of an engine. */
import { expect, test } from "vitest";
import { unsupportedByEngine } from "../../../../host-node/runtime/container-engine/unsupported.ts";
import { podOf } from "../running.ts";

const able = { hasClaims: true, hasInput: true, hasMemorySizes: true, hasLimits: true };

test("a pod as the API server stores it has none", () => {
  const pod = podOf(
    ["true"],
    {
      image: "busybox",
      imagePullPolicy: "Always",
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      securityContext: { runAsUser: 1, capabilities: { drop: ["ALL"] } },
      livenessProbe: { grpc: { port: 1, service: "" }, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 },
      readinessProbe: { httpGet: { port: 1, path: "/", scheme: "HTTP" }, successThreshold: 1 },
      volumeMounts: [{ name: "b", mountPath: "/etc/b.conf", subPath: "b.conf" }],
    },
    {
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Never",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      imagePullSecrets: [{ name: "pull" }],
      hostAliases: [{ ip: "10.0.0.1" }],
      volumes: [
        { name: "a", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
        { name: "b", configMap: { name: "b" } },
      ],
    },
  );
  expect(unsupportedByEngine(pod, able)).toEqual([]);
});

test("each field without effect is named, also one that is not known", () => {
  const pod = podOf(
    ["true"],
    {
      ports: [{ containerPort: 80 }],
      newField: 1,
      stdin: true,
      livenessProbe: { tcpSocket: { port: 1, host: "example.org" } },
      volumeMounts: [{ name: "a", mountPath: "/a", subPath: "b" }],
      securityContext: {
        seLinuxOptions: { level: "s0" },
        seccompProfile: { type: "Localhost", localhostProfile: "x" },
      },
      resources: { limits: { "example.com/gpu": "1" } },
    },
    {
      shareProcessNamespace: true,
      serviceAccountName: "robot",
      runtimeClassName: "kata",
      volumes: [
        { name: "a", emptyDir: { sizeLimit: "1Mi" } },
        { name: "c", csi: { driver: "x" } },
        { name: "d", persistentVolumeClaim: { claimName: "d" } },
        { name: "e", projected: { sources: [{ downwardAPI: {} }] } },
      ],
    },
  );
  const found = unsupportedByEngine(pod, { hasClaims: false, hasInput: false, hasMemorySizes: true, hasLimits: true });
  expect(found.map(({ path }) => path)).toEqual([
    "spec.containers[0].ports",
    "spec.containers[0].newField",
    "spec.containers[0].stdin",
    "spec.containers[0].livenessProbe.tcpSocket.host",
    "spec.containers[0].securityContext.seLinuxOptions",
    "spec.containers[0].securityContext.seccompProfile.type",
    "spec.containers[0].resources.limits.example.com/gpu",
    "spec.shareProcessNamespace",
    "spec.serviceAccountName",
    "spec.runtimeClassName",
    "spec.volumes[1].csi",
    "spec.volumes[2].persistentVolumeClaim",
    "spec.volumes[3].projected.sources[0].downwardAPI",
    "spec.containers[0].volumeMounts[0].subPath",
    "spec.volumes[0].emptyDir.sizeLimit",
  ]);
});

test("limits are named where the engine cannot set them", () => {
  const pod = podOf(["true"], { resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { memory: "1Gi" } } });
  expect(unsupportedByEngine(pod, able)).toEqual([]);
  const why = "this engine is rootless and has no control groups to limit it with";
  expect(unsupportedByEngine(pod, { ...able, hasLimits: false })).toEqual([
    { path: "spec.containers[0].resources.limits.cpu", why },
    { path: "spec.containers[0].resources.limits.memory", why },
  ]);
});
