/** The versions of the table of changes, and those of the engine, which has a separate table. */
import { describe, expect, it } from "vitest";
import { SINCE } from "../../../cluster/values/kubernetes-changes.ts";
import { read } from "../../tidy/sources.ts";

describe("the changes of Kubernetes", () => {
  it("have the same versions in the engine", () => {
    const ofEngine = [...read("assembly/model/kubernetes.ts").matchAll(/^export const (\w+): i32 = (\d+);$/gm)].map(
      ([, name, minor]) => [name!.toLowerCase().replaceAll("_", "-"), `1.${minor}`],
    );
    expect(ofEngine.length).toBeGreaterThan(5);
    expect(SINCE).toMatchObject(Object.fromEntries(ofEngine));
  });
});
