/** How the words of the command line name what `stint why` explains. */
import { describe, expect, it } from "vitest";
import { subjectOf } from "../../../../host-node/cli/why/subject.ts";

describe("subjectOf", () => {
  it("takes the kinds as kubectl writes them", () => {
    const kindsOf = (...texts: readonly string[]): string[] =>
      texts.map((text) => Object.values(subjectOf(text)).join(" "));
    expect(kindsOf("pi", "job/pi", "jobs/pi", "job.batch/pi", "Job/pi")).toEqual(Array(5).fill("Job pi"));
    expect(kindsOf("cronjob/x", "cronjobs/x", "cj/x", "cronjob.batch/x")).toEqual(Array(4).fill("CronJob x"));
    expect(kindsOf("pod/pi-x2k9f", "po/pi-x2k9f", "pods/pi-x2k9f")).toEqual(Array(3).fill("Pod pi-x2k9f"));
    expect(kindsOf("jobset/train", "jobset.jobset.x-k8s.io/train")).toEqual(Array(2).fill("JobSet train"));
  });

  it("says of another kind what is given and what is allowed", () => {
    for (const kind of ["deploy", "", "toString", "__proto__"])
      expect(() => subjectOf(`${kind}/web`)).toThrow(
        `the kind is "${kind}"; allowed are job/NAME, cronjob/NAME, pod/NAME and jobset/NAME, and NAME alone for a Job`,
      );
  });

  it("refuses names that no object can have", () => {
    expect(() => subjectOf("Pi")).toThrow(`the Job's name is "Pi"; allowed are small letters`);
    expect(() => subjectOf("cj/a/b")).toThrow(`the CronJob's name is "a/b"; allowed are small letters`);
    expect(() => subjectOf("pod/")).toThrow(`the Pod's name is ""; allowed are small letters`);
  });
});
