/** The file of users that `stint serve --token-auth-file` reads. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readTokenFile } from "../../../host-node/server/token-file.ts";

const directory = mkdtempSync(join(tmpdir(), "stint-tokens-"));
afterAll(() => rmSync(directory, { recursive: true }));

function read(text: string): ReturnType<typeof readTokenFile> {
  const path = join(directory, "tokens.csv");
  writeFileSync(path, text);
  return readTokenFile(path);
}

describe("a file of tokens", () => {
  it("names a user a line, each of whom is authenticated", () => {
    const userWith = read('# who\nt1,anna,1,"team,""odd"""\r\n\n t2 ,bob,\nt3,carl,3,one\n');
    expect(["t1", "t2", "t3", "", "t4"].map(userWith)).toEqual([
      { name: "anna", uid: "1", groups: ["team", '"odd"', "system:authenticated"] },
      { name: "bob", uid: "", groups: ["system:authenticated"] },
      { name: "carl", uid: "3", groups: ["one", "system:authenticated"] },
      undefined,
      undefined,
    ]);
  });

  const mistakes: Readonly<Record<string, readonly [text: string, message: string]>> = {
    "too few fields": ["t,anna\n", "line 1 of .* has 2 fields; a line is token,name,uid or"],
    "no token": ["t,anna,1\n,bob,2\n", "line 2 of .* has no token"],
    "no name": ["t,,1\n", "line 1 of .* has no name"],
    "an open quote": ['t,anna,1,"a\n', "line 1 of .* is not CSV"],
    "a token twice": ["t,anna,1\nt,bob,2\n", "the token of line 2 of .* is that of a line before"],
    "a large file": ["#".repeat(2 ** 20 + 1), "larger than 1048576 bytes"],
  };
  it.each(Object.entries(mistakes))("is refused for %s", (_what, [text, message]) =>
    expect(() => read(text)).toThrow(new RegExp(message)),
  );

  it("is refused if it is not there", () =>
    expect(() => readTokenFile(join(directory, "none"))).toThrow("there is no such file"));
});
