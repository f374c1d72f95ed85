/** A release has one version and says what is new: what must hold before anything is made. */
import { describe, expect, test } from "vitest";
import { checkTag, commonVersion, releaseNotes } from "../../../scripts/release/versions.ts";

const pattern = /version: (\S+)/;

describe("the version", () => {
  test("is the one that all files name", () => {
    const places = ["a", "b"].map((file) => ({ file, pattern, text: "name: x\nversion: 1.2.3\n" }));
    expect(commonVersion(places)).toBe("1.2.3");
  });

  test("is refused with every file and its version when they differ", () => {
    const places = [
      { file: "a", pattern, text: "version: 1.2.3" },
      { file: "b", pattern, text: "version: 1.2.4" },
    ];
    expect(() => commonVersion(places)).toThrow(
      "the versions differ; make them one before a release:\n  a: 1.2.3\n  b: 1.2.4",
    );
  });

  test("is missed in a file that names none", () => {
    expect(() => commonVersion([{ file: "a", pattern, text: "" }])).toThrow("a names no version");
  });
});

test("a tag is refused that is not that of the version", () => {
  expect(() => checkTag("v1.2.3", "1.2.3")).not.toThrow();
  expect(() => checkTag("1.2.3", "1.2.3")).toThrow(
    "the tag is 1.2.3, and the version in the files is 1.2.3; allowed is the tag v1.2.3",
  );
  expect(() => checkTag("v1.2.4", "1.2.3")).toThrow("allowed is the tag v1.2.3");
});

describe("the notes", () => {
  const changelog =
    "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- Lint.\n\n## [0.1.0]\n\n- All.\n";

  test("are the section of the version, without its heading", () => {
    expect(releaseNotes(changelog, "0.2.0")).toBe("### Added\n\n- Lint.\n");
    expect(releaseNotes(changelog, "0.1.0")).toBe("- All.\n");
  });

  test("are asked for where there is no section, or nothing in it", () => {
    expect(() => releaseNotes(changelog, "0.3.0")).toThrow(
      'CHANGELOG.md has no section "## [0.3.0]"; name what is new, with its date',
    );
    expect(() => releaseNotes(changelog, "Unreleased")).toThrow(
      'the section "## [Unreleased]" of CHANGELOG.md is empty',
    );
  });
});
