/**
 * What the real kubectl makes of the documents of `stint serve`: discovery, the version and OpenAPI. Skipped with a
 * message where there is no kubectl; with STINT_REQUIRE_KUBECTL=1 that is an error.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { hasKubectl, kubectl as runKubectl, type Ran, succeed as succeedWith } from "./kubectl.ts";
import { type Served, startServe } from "./serving.ts";

describe.skipIf(!hasKubectl)("kubectl", () => {
  let served: Served;
  beforeAll(async () => {
    await buildModule("engine");
    served = await startServe();
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  const kubectl = (args: readonly string[], input?: string): Promise<Ran> => runKubectl(served, args, input);
  const succeed = (args: readonly string[], input?: string): Promise<string> => succeedWith(served, args, input);

  describe("explain", () => {
    it("shows a kind with its fields, which are required, and their values", async () => {
      const text = await succeed(["explain", "job.spec"]);
      expect(text).toMatch(/^GROUP: +batch\nKIND: +Job\nVERSION: +v1\n\nFIELD: spec <JobSpec>\n/);
      expect(text).toMatch(/^ {2}template\t<PodTemplateSpec> -required-\n {4}\w/m);
      expect(text).toMatch(
        /^ {2}completionMode\t<string>\n {2}enum: Indexed, NonIndexed\n {4}completionMode specifies/m,
      );
      expect(text).not.toContain("<no description>");
    });

    it("shows a single field", async () => {
      expect(await succeed(["explain", "job.spec.backoffLimit"])).toMatch(
        /^GROUP: +batch\nKIND: +Job\nVERSION: +v1\n\nFIELD: backoffLimit <integer>\n+DESCRIPTION:\n {4}Specifies the number of retries before marking this job failed\./,
      );
      expect(await succeed(["explain", "pods.spec.restartPolicy"])).toMatch(
        /\nENUM:\n {4}Always\n {4}Never\n {4}OnFailure\n/,
      );
    });

    it("shows all fields below one", async () => {
      const text = await succeed(["explain", "cronjob", "--recursive"]);
      expect(text).toMatch(/^ {12}containers\t<\[\]Container> -required-\n {14}args\t<\[\]string>$/m);
      expect(text).toMatch(/^ {2}metadata\t<ObjectMeta>\n {4}annotations\t<map\[string\]string>$/m);
    });

    it("says what there is not", async () => {
      expect(await kubectl(["explain", "job.spec.backOffLimit"])).toMatchObject({
        status: 1,
        err: 'error: field "backOffLimit" does not exist\n',
      });
    });
  });

  it("lists what is served, and which version it is", async () => {
    expect((await succeed(["api-versions"])).split("\n")).toEqual(expect.arrayContaining(["batch/v1", "v1"]));
    expect(await succeed(["api-resources", "-o", "wide"])).toMatch(
      /^jobs +batch\/v1 +true +Job +create,delete,deletecollection,get,list,patch,update,watch +all$/m,
    );
    // An older kubectl warns of the distance between the versions.
    const { out } = await kubectl(["version", "-o", "json"]);
    const { serverVersion } = JSON.parse(out) as { serverVersion: object };
    expect(serverVersion).toMatchObject({ major: "1", minor: "37", gitVersion: "v1.37.2" });
  });

  it("says where the control plane is", async () => {
    expect(await succeed(["cluster-info"])).toContain("is running at");
  });
});
