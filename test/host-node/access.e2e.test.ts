/** kubectl as several users of a real `stint serve --authorization rbac`. Skipped where there is no kubectl. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { hasKubectl, kubectl, succeed } from "./kubectl.ts";
import { type Served, startServe } from "./serving.ts";

describe.skipIf(!hasKubectl)("stint serve --authorization rbac", () => {
  let served: Served;
  beforeAll(async () => {
    await buildModule("engine");
    const directory = mkdtempSync(join(tmpdir(), "stint-access-"));
    writeFileSync(join(directory, "users.csv"), 'annas-token,anna,1,"team,others"\n');
    served = await startServe(["--authorization", "rbac", "--token-auth-file", "users.csv"], directory);
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  const asAnna = ["--token=annas-token"];

  it("refuses what no role allows, and allows it from the binding on", async () => {
    await succeed(served, ["create", "job", "one", "--image=busybox"]);
    const { status, err } = await kubectl(served, [...asAnna, "get", "jobs"]);
    expect([status, err]).toEqual([
      1,
      'Error from server (Forbidden): jobs.batch is forbidden: User "anna" cannot list resource "jobs" in API group "batch" in the namespace "default"\n',
    ]);
    await succeed(served, ["create", "rolebinding", "team", "--clusterrole=view", "--group=team"]);
    expect(await succeed(served, [...asAnna, "get", "jobs", "-o", "name"])).toBe("job.batch/one\n");
    expect((await kubectl(served, [...asAnna, "delete", "job", "one"])).err).toContain('User "anna" cannot delete');
    expect((await kubectl(served, [...asAnna, "auth", "can-i", "delete", "jobs"])).out).toBe("no\n");
    expect(await succeed(served, ["auth", "can-i", "list", "pods", "--as=x", "--as-group=team"])).toBe("yes\n");
  });

  it("knows a service account by its token", async () => {
    await succeed(served, ["create", "serviceaccount", "robot"]);
    const token = (await succeed(served, ["create", "token", "robot"])).trim();
    const asRobot = [`--token=${token}`];
    const name = ["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"];
    expect(await succeed(served, [...asRobot, ...name])).toBe("system:serviceaccount:default:robot");
    expect((await kubectl(served, [...asRobot, "get", "jobs"])).err).toContain("Forbidden");
    await succeed(served, ["create", "rolebinding", "robot", "--clusterrole=view", "--serviceaccount=default:robot"]);
    expect((await kubectl(served, [...asRobot, "get", "jobs"])).status).toBe(0);
    await succeed(served, ["delete", "serviceaccount", "robot"]);
    expect((await kubectl(served, [...asRobot, "get", "jobs"])).err).toContain("Unauthorized");
  });

  it("has pages beside the API that take rights, too", async () => {
    expect((await kubectl(served, [...asAnna, "get", "--raw", "/metrics"])).err).toContain(
      'User "anna" cannot get path "/metrics"',
    );
    expect(await succeed(served, ["get", "--raw", "/metrics"])).toContain("# TYPE");
    expect((await kubectl(served, [...asAnna, "get", "--raw", "/debug/jobs/default/one"])).err).toContain("Forbidden");
  });
});
