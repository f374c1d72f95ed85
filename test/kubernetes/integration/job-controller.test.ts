/**
 * Upstream's integration tests of the Job controller, of Kubernetes 1.37, with `stint controller` in its place: each as
 * a separate test. They wait most of the time, so some run at the same time.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { JobIntegration } from "./job-integration.ts";
import { LEFT_OUT, TESTS } from "./tests.ts";

/** The program ends itself before. */
const TEST_TIMEOUT_MS = 5 * 60_000;
/** Each has an API server and a controller. */
const AT_ONCE = 3;

describe.skipIf(whyUnavailable() !== undefined)("upstream's integration tests of the Job controller", () => {
  let program: JobIntegration;
  beforeAll(async () => {
    program = await JobIntegration.start();
  });
  afterAll(() => program?.stop());

  it("are those of the list", async () => {
    const listed = [...TESTS.map(({ name }) => name), ...LEFT_OUT.keys()];
    expect((await program.testNames()).toSorted()).toEqual(listed.toSorted());
  });

  const lanes = Array.from({ length: AT_ONCE }, (_, lane) => ({
    lane,
    tests: TESTS.filter((_test, index) => index % AT_ONCE === lane),
  }));
  describe.concurrent.each(lanes)("one after the other ($lane)", ({ tests }) => {
    describe.sequential("with stint controller", () => {
      it.each(tests)("$name", async (test) => expect(await program.failureOf(test)).toBeUndefined(), TEST_TIMEOUT_MS);
    });
  });
});
