/** Which Jobs `stint why` suggests for a name that does not exist. */
import { describe, expect, it } from "vitest";
import { similarJobs } from "../../../host-node/words/similar-names.ts";

const all = ["team/pi", "default/pi-2", "default/retry", "default/nightly-report", "default/hello", "other/retry"].map(
  (id) => {
    const [namespace, name] = id.split("/") as [string, string];
    return { namespace, name };
  },
);

function similar(name: string, namespace = "default"): string[] {
  return similarJobs({ namespace, name }, all).map((job) => `${job.namespace}/${job.name}`);
}

describe("similarJobs", () => {
  it("finds the same name in other namespaces", () =>
    expect(similar("pi", "nowhere")).toEqual(["team/pi", "default/pi-2"]));
  it("prefers the namespace that was asked for", () =>
    expect(similar("retry", "other")).toEqual(["other/retry", "default/retry"]));
  it("finds slips of the finger", () => {
    for (const name of ["rerty", "rety", "rettry", "retrz", "r3try"])
      expect(similar(name)).toEqual(["default/retry", "other/retry"]);
  });
  it("finds parts of a name, and names that are parts", () => {
    expect(similar("report")).toEqual(["default/nightly-report"]);
    expect(similar("hello-world")).toEqual(["default/hello"]);
  });
  it("finds nothing that is not similar", () => expect(similar("zzzzz")).toEqual([]));
  it("names five at most, the nearest first", () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ namespace: "default", name: `job-${i}` }));
    expect(similarJobs({ namespace: "default", name: "job-1x" }, many).map(({ name }) => name)).toEqual([
      "job-1",
      "job-10",
      "job-11",
      "job-12",
      "job-13",
    ]);
  });
});
