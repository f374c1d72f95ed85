/** A cluster that is kept in a folder: what the next server finds there, after a stop and after a kill. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { DataFolder } from "../../../host-node/data/data-folder.ts";
import { LocalVolumeFolders } from "../../../host-node/runtime/volume-folders.ts";
import { MachineError } from "../../../host-node/usage-error.ts";
import { VirtualCluster } from "../virtual-cluster.ts";
import { killed, newPath, openFolder } from "./folders.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

const started: VirtualCluster[] = [];
afterEach(() => started.splice(0).forEach((cluster) => cluster.stop()));

async function start(
  data: DataFolder,
  seed = 1,
  startMs?: number,
  volumeFolders?: LocalVolumeFolders,
): Promise<VirtualCluster> {
  const more = { ...(startMs !== undefined && { startMs }), ...(volumeFolders && { volumeFolders }) };
  const cluster = await VirtualCluster.start({ servesClients: true, data, seed, ...more });
  started.push(cluster);
  return cluster;
}

/** The cluster as the next server finds it when this one is killed now. */
async function restarted(data: DataFolder, cluster: VirtualCluster, afterMs = 0): Promise<VirtualCluster> {
  data.writes.commit();
  const next = await openFolder(killed(data.path));
  return start(next, 2, cluster.clock.now() + afterMs);
}

/** A Job whose pods run for a minute. */
function job(name: string, spec: object, podSpec: object = { restartPolicy: "Never" }): object {
  const annotations = { "stint.dev/simulate": '{"runMs": 60000}' };
  const template = { metadata: { annotations }, spec: { containers: [{ name: "c", image: "i" }], ...podSpec } };
  return { metadata: { name }, spec: { ...spec, template } };
}

const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

describe("the next server", () => {
  test("has the same objects, and not those that were deleted", async () => {
    const data = await openFolder(newPath());
    const before = await start(data);
    before.api("POST", MAPS, { metadata: { name: "kept" }, data: { a: "<&>" } });
    before.api("POST", MAPS, { metadata: { name: "gone" } });
    before.api("DELETE", `${MAPS}/gone`);
    const after = await restarted(data, before);
    expect(after.api("GET", MAPS)).toEqual(before.api("GET", MAPS));
    expect(after.api("GET", "/api/v1/namespaces/default")).toEqual(before.api("GET", "/api/v1/namespaces/default"));
  });

  test("serves custom resources at once, with their objects", async () => {
    const data = await openFolder(newPath());
    const before = await start(data);
    before.api("POST", CRDS, definition);
    before.clock.advance(1_000);
    before.api("POST", WIDGETS, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, n: 1 });
    const after = await restarted(data, before);
    expect(after.api("GET", `${WIDGETS}/w`)).toEqual(before.api("GET", `${WIDGETS}/w`));
    after.clock.advance(1_000);
    expect(after.api("GET", `${WIDGETS}/w`).n).toBe(1);
  });

  test("knows the tokens of accounts, the administrator, its certificate and its port", async () => {
    const data = await openFolder(newPath());
    data.port = 12345;
    const before = await start(data);
    before.clock.advance(1_000);
    const { token } = before.api("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {}).status;
    data.writes.commit();
    const next = await openFolder(killed(data.path));
    const after = await start(next, 2, before.clock.now());
    expect(after.whoseToken(token)).toMatchObject({ name: "system:serviceaccount:default:default" });
    expect(next.identity).toEqual(data.identity);
    expect(next.port).toBe(12345);
  });

  test("mounts the volumes that the one before has made, with what is in them", async () => {
    const path = newPath();
    const data = await openFolder(newPath());
    const before = await start(data, 1, undefined, new LocalVolumeFolders(path, undefined));
    before.clock.advance(1_000);
    before.api("POST", CLAIMS, {
      metadata: { name: "c" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    before.clock.advance(1_000);
    const folder = before.list("/api/v1/persistentvolumes")[0].spec.hostPath.path;
    writeFileSync(join(folder, "file"), "kept");
    data.writes.commit();
    const folders = new LocalVolumeFolders(path, undefined);
    expect(folders.has(folder)).toBe(false);
    await start(await openFolder(killed(data.path)), 2, before.clock.now(), folders);
    expect(folders.has(folder)).toBe(true);
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("kept");
  });

  test("counts versions on from a deletion that came last", async () => {
    const data = await openFolder(newPath());
    const before = await start(data);
    before.api("POST", MAPS, { metadata: { name: "gone" } });
    before.api("DELETE", `${MAPS}/gone`);
    const last = Number(before.api("GET", MAPS).metadata.resourceVersion);
    const after = await restarted(data, before);
    const next = after.api("POST", MAPS, { metadata: { name: "next" } }).metadata.resourceVersion;
    expect(Number(next)).toBeGreaterThan(last);
  });
});

describe("a Job continues where it was:", () => {
  test("pods of restartPolicy Never that ran have failed, as after a restart of their node, and are replaced", async () => {
    const data = await openFolder(newPath());
    const before = await start(data);
    before.api("POST", JOBS, job("j", { completions: 2, parallelism: 1 }));
    expect(before.runUntil(() => before.api("GET", `${JOBS}/j`).status.succeeded === 1, 100_000)).toBe(true);
    before.clock.advance(5_000);
    const after = await restarted(data, before, 1_000);
    const isComplete = (): boolean => after.api("GET", `${JOBS}/j`).status.completionTime !== undefined;
    expect(after.runUntil(isComplete, 200_000)).toBe(true);
    expect(after.api("GET", `${JOBS}/j`).status).toMatchObject({ succeeded: 2, failed: 1 });
    const states = after.list(PODS).map(({ status }) => status.containerStatuses[0].state.terminated);
    expect(states.map(({ reason, exitCode, message }) => [reason, exitCode, message]).toSorted()).toEqual([
      ["Completed", 0, undefined],
      ["Completed", 0, undefined],
      ["ContainerStatusUnknown", 137, "The container could not be located when the pod was terminated"],
    ]);
  });

  test("containers of restartPolicy OnFailure start again in their pod", async () => {
    const data = await openFolder(newPath());
    const before = await start(data);
    before.api("POST", JOBS, job("j", {}, { restartPolicy: "OnFailure" }));
    before.clock.advance(5_000);
    const [pod] = before.list(PODS);
    const after = await restarted(data, before, 1_000);
    const isComplete = (): boolean => after.api("GET", `${JOBS}/j`).status.completionTime !== undefined;
    expect(after.runUntil(isComplete, 200_000)).toBe(true);
    const [same, ...others] = after.list(PODS);
    expect(others).toEqual([]);
    expect(same.metadata.uid).toBe(pod.metadata.uid);
    expect(same.status.containerStatuses[0]).toMatchObject({ restartCount: 1, state: { terminated: { exitCode: 0 } } });
  });

  test("the back-off continues", async () => {
    const data = await openFolder(newPath());
    const before = await start(data);
    const failing = job("j", { backoffLimit: 6 }) as any;
    failing.spec.template.metadata.annotations["stint.dev/simulate"] = '{"exitCode": 1, "runMs": 1000}';
    before.api("POST", JOBS, failing);
    expect(before.runUntil(() => before.api("GET", `${JOBS}/j`).status.failed === 3, 300_000)).toBe(true);
    const failedAtMs = before.clock.now();
    const after = await restarted(data, before, 1_000);
    expect(after.runUntil(() => after.list(PODS).length === 4, 300_000)).toBe(true);
    // After the third failure upstream waits for 40 s.
    expect(after.clock.now() - failedAtMs).toBeGreaterThan(35_000);
  });
});

describe("the folder", () => {
  test("is for this user alone", async () => {
    const path = newPath();
    await openFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(path).toSorted()).toEqual([
      ...["lock", "lock-holder", "stint.db", "stint.db-shm", "stint.db-wal"],
    ]);
  });

  test("is for one server at a time", async () => {
    const path = newPath();
    const first = await openFolder(path);
    await expect(openFolder(path)).rejects.toThrow(
      `${path} is in use by another stint serve (process ${process.pid} on ${hostname()}); end that one, or name another with --data-dir`,
    );
    expect(first.port).toBe(0);
  });

  test("of a server that has stopped is one file, apart from the lock", async () => {
    const path = newPath();
    const { DataFolder: folders } = await import("../../../host-node/data/data-folder.ts");
    const folder = await folders.open(path, { nowMs: 0, onFailure: () => {} });
    folder.close();
    expect(readdirSync(path).toSorted()).toEqual(["lock", "stint.db"]);
  });

  test("is copied by SQLite while a server has it", async () => {
    const data = await openFolder(newPath());
    const before = await start(data);
    before.api("POST", MAPS, { metadata: { name: "m" } });
    data.writes.commit();
    const copy = newPath();
    mkdirSync(copy);
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(`${data.path}/stint.db`);
    database.exec(`VACUUM INTO '${copy}/stint.db'`);
    database.close();
    const after = await start(await openFolder(copy), 2, before.clock.now());
    expect(after.api("GET", MAPS)).toEqual(before.api("GET", MAPS));
  });

  test.each([
    ["UPDATE object SET text = '{' WHERE key = 'default/m'", "configmaps default/m: "],
    ["UPDATE object SET text = 'null' WHERE key = 'default/m'", "configmaps default/m: it has no metadata"],
    ["UPDATE object SET text = '[]' WHERE key = 'default/m'", "configmaps default/m: it has no metadata"],
    [
      `UPDATE object SET text = '{"metadata": {"namespace": "default", "name": "n"}}' WHERE key = 'default/m'`,
      "configmaps default/m: its metadata is that of default/n",
    ],
    ["UPDATE property SET value = '{' WHERE name = 'certificate'", "property certificate: "],
    ["UPDATE property SET value = 'x' WHERE name = 'account-key'", "property account-key: it is no private key"],
  ])("says what cannot be read after %s", async (statement, what) => {
    const data = await openFolder(newPath());
    const before = await start(data);
    before.api("POST", MAPS, { metadata: { name: "m" } });
    data.writes.commit();
    const copy = killed(data.path);
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(`${copy}/stint.db`);
    database.exec(statement);
    database.close();
    const restart = async (): Promise<unknown> => start(await openFolder(copy));
    const error: Error = await restart().then(
      () => expect.fail("it was taken"),
      (thrown: Error) => thrown,
    );
    expect(error).toBeInstanceOf(MachineError);
    expect(error.message).toContain(`stint.db is damaged (${what}`);
    expect(error.message).toContain("), and nothing was changed in it; put a copy in its place");
  });
});
