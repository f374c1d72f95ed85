/** Claims, the volumes that they get, and what becomes of both. Phases, annotations and events are upstream's. */
import { beforeEach, describe, expect, test } from "vitest";
import { builtInPlugins } from "../../../../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import type { VolumeFolders } from "../../../../cluster/controllers/volume-controller/volume-folders.ts";
import { volumeController } from "../../../../cluster/controllers/volume-controller/volume-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES = "/api/v1/persistentvolumes";
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";

let h: Harness;
let folders: Set<string>;
let problem: string | undefined;
const kept: VolumeFolders = {
  make(name) {
    if (problem !== undefined) throw new Error(problem);
    folders.add(name);
    return `/data/${name}`;
  },
  remove(name) {
    if (problem !== undefined) throw new Error(problem);
    folders.delete(name);
  },
};

beforeEach(() => {
  h = new Harness({ plugins: chain(builtInPlugins) });
  folders = new Set();
  problem = undefined;
  const { clock, random, transport } = h;
  volumeController({ clock, random, transport }, kept).start();
  settle();
});

const settle = (): void => h.clock.advance(100);

function claim(name: string, spec: object = {}, metadata: object = {}): void {
  const wanted = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  h.api("POST", CLAIMS, { metadata: { name, ...metadata }, spec: { ...wanted, ...spec } });
  settle();
}
function volume(name: string, spec: object = {}, metadata: object = {}): void {
  const made = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/mine" } };
  h.api("POST", VOLUMES, { metadata: { name, ...metadata }, spec: { ...made, ...spec } });
  settle();
}
const getClaim = (name: string): any => h.api("GET", `${CLAIMS}/${name}`);
const getVolume = (name: string): any => h.api("GET", `${VOLUMES}/${name}`);
function remove(path: string): void {
  h.api("DELETE", path);
  settle();
}

describe("a claim without a class", () => {
  test("gets a volume of the default one, in a separate folder", () => {
    claim("data", { accessModes: ["ReadWriteMany"] });
    const { metadata, spec, status } = getClaim("data");
    const name = `pvc-${metadata.uid}`;
    expect(metadata.annotations).toEqual({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
      "volume.beta.kubernetes.io/storage-provisioner": "stint.dev/local-folder",
      "volume.kubernetes.io/storage-provisioner": "stint.dev/local-folder",
    });
    expect(spec).toMatchObject({ storageClassName: "standard", volumeName: name });
    expect(status).toEqual({ phase: "Bound", accessModes: ["ReadWriteMany"], capacity: { storage: "1Gi" } });
    expect(getVolume(name)).toMatchObject({
      metadata: { annotations: { "pv.kubernetes.io/provisioned-by": "stint.dev/local-folder" } },
      spec: {
        capacity: { storage: "1Gi" },
        hostPath: { path: `/data/${name}` },
        claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "data", uid: metadata.uid },
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "standard",
        volumeMode: "Filesystem",
      },
      status: { phase: "Bound" },
    });
    expect([...folders]).toEqual([name]);
    expect(h.events("data")).toEqual([
      "Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'stint.dev/local-folder' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
      'Normal Provisioning: External provisioner is provisioning volume for claim "default/data"',
      `Normal ProvisioningSucceeded: Successfully provisioned volume ${name}`,
    ]);
  });

  test("takes its volume with it when it is deleted", () => {
    claim("data");
    const { volumeName } = getClaim("data").spec;
    remove(`${CLAIMS}/data`);
    expect(h.answer("GET", `${VOLUMES}/${volumeName}`).status).toBe(404);
    expect([...folders]).toEqual([]);
  });

  test("gets the newest of several defaults", () => {
    h.clock.advance(1_000);
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    h.api("POST", CLASSES, { metadata: { name: "newer", annotations }, provisioner: "example.com/other" });
    claim("data");
    expect(getClaim("data").spec.storageClassName).toBe("newer");
  });

  test("is lost when its volume is deleted", () => {
    claim("data");
    remove(`${VOLUMES}/${getClaim("data").spec.volumeName}`);
    expect(getClaim("data").status.phase).toBe("Lost");
    expect(h.events("data")).toContain(
      "Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  });
});

describe("a claim waits", () => {
  test.each([
    [{ storageClassName: "" }, "no persistent volumes available for this claim and no storage class is set"],
    [{ storageClassName: "fast" }, 'storageclass.storage.k8s.io "fast" not found'],
    [{ volumeMode: "Block" }, "volumeMode Block is not supported; allowed is Filesystem"],
  ])("with %j, and says why", (spec, why) => {
    claim("data", spec);
    expect(getClaim("data").status).toEqual({ phase: "Pending" });
    expect(h.events("data").join()).toContain(why);
  });

  test("for a provisioner that is not here", () => {
    h.api("POST", CLASSES, { metadata: { name: "fast" }, provisioner: "example.com/fast" });
    claim("data", { storageClassName: "fast" });
    expect(h.events("data")).toEqual([
      "Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'example.com/fast' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
    ]);
  });

  test("until its folder can be made", () => {
    problem = "the disk is full";
    claim("data");
    expect(getClaim("data").status.phase).toBe("Pending");
    expect(h.events("data").join()).toContain(
      'Warning ProvisioningFailed: failed to provision volume with StorageClass "standard": the disk is full',
    );
    problem = undefined;
    h.clock.advance(60_000);
    expect(getClaim("data").status.phase).toBe("Bound");
  });

  test("until its class is there", () => {
    claim("data", { storageClassName: "later" });
    h.api("POST", CLASSES, { metadata: { name: "later" }, provisioner: "stint.dev/local-folder" });
    settle();
    expect(getClaim("data").status.phase).toBe("Bound");
  });

  test("until the server takes what the controller writes", () => {
    h.fault = ({ method }) => (method === "PUT" ? failure(500, "InternalError") : undefined);
    claim("data");
    expect(getClaim("data").status.phase).toBe("Pending");
    h.fault = () => undefined;
    h.clock.advance(60_000);
    expect(getClaim("data").status.phase).toBe("Bound");
  });
});

describe("a volume that a user made", () => {
  const bound = (name = "data"): string | undefined => getClaim(name).spec.volumeName;

  test("is available, and goes to the claim that it fits, the smallest first", () => {
    volume("large", { capacity: { storage: "5Gi" } });
    volume("small", { capacity: { storage: "500Mi" } });
    volume("right", { capacity: { storage: "2Gi" } });
    expect(getVolume("right").status.phase).toBe("Available");
    claim("data", { storageClassName: "" });
    expect(bound()).toBe("right");
    expect(getVolume("right")).toMatchObject({
      metadata: { annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } },
      status: { phase: "Bound" },
    });
    expect(getClaim("data").status.capacity).toEqual({ storage: "2Gi" });
    expect(getVolume("large").status.phase).toBe("Available");
  });

  test.each([
    ["another mode", { accessModes: ["ReadWriteMany"] }],
    ["another class", { storageClassName: "fast" }],
    ["other labels", { selector: { matchLabels: { tier: "gold" } } }],
    ["a block device", { volumeMode: "Block" }],
  ])("is not for a claim that wants %s", (_, spec) => {
    volume("v");
    claim("data", { storageClassName: "", ...spec });
    expect(bound()).toBeUndefined();
  });

  test("is given to a claim that waits for it", () => {
    claim("data", { storageClassName: "" });
    volume("v");
    expect(bound()).toBe("v");
  });

  test("may name its claim, and a claim its volume", () => {
    volume("theirs", { claimRef: { namespace: "default", name: "second" } });
    volume("named", { capacity: { storage: "9Gi" } });
    claim("first", { storageClassName: "" });
    expect(bound("first")).toBe("named");
    claim("second", { storageClassName: "" });
    expect(bound("second")).toBe("theirs");
    volume("third");
    claim("third", { storageClassName: "", volumeName: "third" });
    expect(getClaim("third")).toMatchObject({ status: { phase: "Bound" } });
    expect(getClaim("third").metadata.annotations).toEqual({ "pv.kubernetes.io/bind-completed": "yes" });
  });

  test("is released with the policy Retain, and no other claim gets it", () => {
    volume("v");
    claim("data", { storageClassName: "" });
    remove(`${CLAIMS}/data`);
    expect(getVolume("v").status.phase).toBe("Released");
    claim("data", { storageClassName: "" });
    expect(getClaim("data").status.phase).toBe("Pending");
  });
});

test("a folder that cannot be removed is tried again, and its volume stays until then", () => {
  claim("data");
  const { volumeName } = getClaim("data").spec;
  problem = "busy";
  remove(`${CLAIMS}/data`);
  expect(getVolume(volumeName).status.phase).toBe("Released");
  expect(h.events(volumeName).join()).toContain("Warning VolumeFailedDelete: busy");
  problem = undefined;
  h.clock.advance(60_000);
  expect(h.answer("GET", `${VOLUMES}/${volumeName}`).status).toBe(404);
});

test("there is one class, which is the default", () => {
  expect(h.api("GET", CLASSES).items).toMatchObject([
    {
      metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "stint.dev/local-folder",
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
    },
  ]);
});
