/** The manifest of krew names the archives of a release, and krew would take it. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { krewManifest } from "../../../scripts/release/executables.ts";
import { NAMES } from "../../../scripts/release/names.ts";

const template = readFileSync(resolve(import.meta.dirname, "../../../deploy/krew/stint.yaml"), "utf8");

it("has the version, the address and the check sum of each platform", () => {
  const { apiVersion, kind, metadata, spec } = parse(
    krewManifest(template, "1.2.3", (platform) => `sum of ${platform}`),
  );
  expect({ apiVersion, kind, metadata }).toEqual({
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "stint" },
  });
  expect(spec).toMatchObject({ version: "v1.2.3", homepage: NAMES.repository });
  // krew shows it in a list of one line a plugin.
  expect(spec.shortDescription.length).toBeLessThanOrEqual(50);
  const at = (platform: string): string =>
    `${NAMES.repository}/releases/download/v1.2.3/stint-1.2.3-${platform}.tar.gz`;
  expect(spec.platforms).toEqual([
    {
      selector: { matchLabels: { os: "linux", arch: "amd64" } },
      uri: at("linux-x64"),
      sha256: "sum of linux-x64",
      bin: "stint",
    },
    {
      selector: { matchLabels: { os: "linux", arch: "arm64" } },
      uri: at("linux-arm64"),
      sha256: "sum of linux-arm64",
      bin: "stint",
    },
  ]);
});
