/** No document, example or message installs a package of a stranger, and all name ours by scripts/release/names.ts. */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { NAMES, npmTarball, sourceDistribution, wheel } from "../../scripts/release/names.ts";
import { namingFaults } from "./install-commands.ts";
import { files, read } from "./sources.ts";

/** What users read; tests, and the scripts of this repository, install what they need. */
const PUBLIC = files.filter(
  (file) =>
    /\.(md|ts|tsx|mjs|go|py|toml|ya?ml|html|txt)$/.test(file) &&
    !/^(test|scripts|assembly|\.github|docs\/spec)\//.test(file) &&
    // The names of Python's own tests are those of messages.
    !/^bindings\/.*(_test\.go|\/tests\/.*)$/.test(file),
);

test("no page, example or message installs what is not ours, or what is not published, without a word", () => {
  const faults = PUBLIC.flatMap((file) =>
    namingFaults(read(file), file.endsWith(".md")).map((fault) => `${file}:${fault}`),
  );
  expect(faults).toEqual([]);
});

test("imports of JavaScript begin with the name of the package", () => {
  const faults = PUBLIC.filter((file) => !file.startsWith("CHANGELOG")).flatMap((file) =>
    (read(file).match(/(?<=["'`])stint\/(testing|node|cluster|engine\.wasm|schema\.json)\b.*/g) ?? []).map(
      (text) => `${file}: ${text}`,
    ),
  );
  expect(faults).toEqual([]);
});

test("the rule catches a stranger's package, one that is not there yet, and a remark that is out of date", () => {
  expect(namingFaults("`pip install stint`", true)).toEqual(["1: installs stint, which is not ours"]);
  expect(namingFaults("pip install 'stint[testing]' kubernetes", false)).toEqual([
    "1: installs stint[testing], which is not ours",
  ]);
  expect(namingFaults("npx stint run job.yaml", false)).toHaveLength(1);
  expect(namingFaults("It needs `npm install --save-dev\nstint vitest`.", true)).toHaveLength(1);
  expect(namingFaults("go get stint.dev/stint/bindings/go@latest", false)).toHaveLength(1);
  expect(namingFaults("go get github.com/stint-dev/stint/bindings/gone", false)).toHaveLength(1);
  expect(namingFaults(`npm install ${NAMES.npm}`, false, false)).toEqual([
    `1: does not say that ${NAMES.npm} is not published yet`,
  ]);
  const early = `npm install ${NAMES.npm}@1.2.3 # not published yet`;
  expect(namingFaults(early, false, false)).toEqual(["1: does not say what works from a clone"]);
  expect(namingFaults(`${early}: npm run pack in a clone`, false, false)).toEqual([]);
  expect(namingFaults(early, false, true)).toHaveLength(1);
  expect(namingFaults(`npm install ${NAMES.npm}`, false, true)).toEqual([]);
  expect(namingFaults("npm install ../stint/release/stint-dev-stint-0.1.0.tgz", false, false)).toEqual([]);
  expect(namingFaults(`go get ${NAMES.goModule}/stinttest@latest`, false, true)).toEqual([]);
});

test("the files that publish a name have the one of names.ts", () => {
  expect(JSON.parse(read("package.json"))).toMatchObject({
    name: NAMES.npm,
    bin: { stint: "dist/stint.mjs", "kubectl-stint": "dist/stint.mjs" },
  });
  expect(JSON.parse(read("package-lock.json")).name).toBe(NAMES.npm);
  expect(/^name = "(.*)"$/m.exec(read("bindings/python/pyproject.toml"))?.[1]).toBe(NAMES.pypi);
  expect(/^Homepage = "(.*)"$/m.exec(read("bindings/python/pyproject.toml"))?.[1]).toBe(NAMES.repository);
  expect(/^module (.*)$/m.exec(read("bindings/go/go.mod"))?.[1]).toBe(NAMES.goModule);
  expect(/^module (.*)$/m.exec(read("bindings/go/stinttest/go.mod"))?.[1]).toBe(`${NAMES.goModule}/stinttest`);
  expect(`https://${NAMES.goModule}`.startsWith(`${NAMES.repository}/`)).toBe(true);
  expect(parse(read("deploy/chart/Chart.yaml")).name).toBe(NAMES.chart);
  expect(parse(read("deploy/chart/values.yaml")).image.repository).toBe(NAMES.image);
  const images = files
    .filter((file) => /^deploy\/(controller|webhook)\/.*\.yaml$/.test(file))
    .flatMap((file) => [...read(file).matchAll(/^ *image: (.*)$/gm)].map(([, image]) => image));
  expect(images).toEqual(Array(4).fill(NAMES.image));
});

test("the workflow of a release publishes the files that the release makes", () => {
  const workflow = read(".github/workflows/release.yml");
  const version = "${GITHUB_REF_NAME#v}";
  expect(workflow).toContain(`npm publish "./${npmTarball(version)}"`);
  expect(workflow).toContain(`mv ${wheel("*").replace("*-py3-none-any", "*")} "${sourceDistribution(version)}" dist/`);
});

test("no other file has the name of a Go module or of a repository that has no owner", () => {
  // Go modules of tests are never fetched, and a new name would build all programs of test/kubernetes again.
  const others = files.filter((file) => !/^(test\/(kubernetes|workflows)\/|CHANGELOG\.md$)/.test(file));
  expect(others.filter((file) => /\.(go|mod|md|ts|toml)$/.test(file) && /stint\.dev\/stint/.test(read(file)))).toEqual([
    "test/tidy/names.test.ts",
  ]);
});
