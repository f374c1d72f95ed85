/** Text to objects: what kubectl would send, with positions, and clear errors for what is no Kubernetes object. */
import { describe, expect, it, vi } from "vitest";
import { diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import { MAX_OBJECTS_PER_FILE, parseManifests } from "../../../cluster/manifests/manifests.ts";
import { MAX_DEPTH, readYaml } from "../../../cluster/yaml/yaml-library.ts";

const parse = (text: string, file = "job.yaml"): ReturnType<typeof parseManifests> =>
  parseManifests({ file, text }, readYaml);
const objects = (text: string): unknown[] => {
  const { manifests, diagnostics } = parse(text);
  expect(diagnostics).toEqual([]);
  return manifests.map(({ object }) => object);
};
const errors = (text: string, file?: string): string[] => parse(text, file).diagnostics.map(diagnosticText);

it("parsing says nothing of a text in warnings of the process", () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  const [secret] = objects("apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ token }}\n");
  expect(secret).toMatchObject({ metadata: { name: { "{ token }": null } } });
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

const JOB = `# a comment
apiVersion: batch/v1
kind: Job
metadata:
  name: pi
  labels: {a.b/c: x}
spec:
  parallelism: -1
  template:
    spec:
      containers:
      - name: first
        image: i
      - name: second
        env:
        - name: A
          value: yes
`;

describe("objects", () => {
  it("come out of several documents, empty ones left out", () => {
    expect(objects("---\n# nothing\n---\napiVersion: v1\nkind: A\n---\n\n---\napiVersion: v1\nkind: B\n...\n")).toEqual(
      [
        { apiVersion: "v1", kind: "A" },
        { apiVersion: "v1", kind: "B" },
      ],
    );
  });

  it("come out of JSON, with tabs too", () => {
    expect(objects('{\n\t"apiVersion": "v1",\n\t"kind": "A",\n\t"n": [1, 1.5, true, null, "\\u00e9\\n"]\n}\n')).toEqual(
      [{ apiVersion: "v1", kind: "A", n: [1, 1.5, true, null, "é\n"] }],
    );
  });

  it("keep the key . of managed fields, which is no number", () => {
    expect(objects("{apiVersion: v1, kind: A, a: {.: {}}, b: ., c: .5, d: 5.}")).toEqual([
      { apiVersion: "v1", kind: "A", a: { ".": {} }, b: ".", c: 0.5, d: 5 },
    ]);
  });

  it("come out of lists", () => {
    expect(
      objects("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: B}\n"),
    ).toEqual([
      { apiVersion: "v1", kind: "A" },
      { apiVersion: "v1", kind: "B" },
    ]);
  });

  it("are read as YAML 1.1 without dates and base 60, as kubectl does", () => {
    expect(
      objects(
        "{apiVersion: v1, kind: A, a: yes, b: 0644, c: 2001-12-14, d: '1:30', e: 1:30, f: ~, g: !!str 5, h: off, i: y, N: j}",
      ),
    ).toEqual([
      {
        apiVersion: "v1",
        kind: "A",
        a: true,
        b: 420,
        c: "2001-12-14",
        d: "1:30",
        e: "1:30",
        f: null,
        g: "5",
        h: false,
        i: true,
        false: "j",
      },
    ]);
  });

  it("resolve anchors and merge keys", () => {
    expect(objects("apiVersion: v1\nkind: A\nx: &x {a: 1, b: 2}\nw:\n  <<: *x\n  b: 3\nz: *x\n")).toEqual([
      { apiVersion: "v1", kind: "A", x: { a: 1, b: 2 }, w: { a: 1, b: 3 }, z: { a: 1, b: 2 } },
    ]);
  });
});

describe("positions", () => {
  const manifest = parse(JOB).manifests[0]!;
  const at = ({ line, column }: { line: number; column: number }): string => `${line}:${column}`;

  it.each([
    ["", "2:1"],
    ["metadata.name", "5:9"],
    ["metadata.labels[a.b/c]", "6:19"],
    ["spec.parallelism", "8:16"],
    ["spec.template.spec.containers[1].name", "14:15"],
    ["spec.template.spec.containers[1].env[0].value", "17:18"],
    ["spec.template.spec.restartPolicy", "11:7"],
    ["spec.template.spec.containers[7].image", "12:7"],
    ["status.active", "2:1"],
  ])("of the value of %j is %s", (path, position) => {
    expect(at(manifest.valueAt(path))).toBe(position);
  });

  it("of a field's name is that of its key", () => {
    expect(at(manifest.nameAt("spec.template.spec.containers[1].env"))).toBe("15:9");
    expect(at(manifest.nameAt("spec.template.spec.containers[1]"))).toBe("14:9");
  });

  it("of a value without list indexes is that of the first which is meant", () => {
    expect(at(manifest.firstAt("spec.template.spec.containers.env.value", (value) => value === true))).toBe("17:18");
    expect(at(manifest.firstAt("spec.template.spec.containers.name", (value) => value === "second"))).toBe("14:15");
    expect(at(manifest.firstAt("spec.template.spec.containers.image", (value) => value === "no"))).toBe("12:7");
  });

  it("count lines over documents and list items", () => {
    const [first, second] = parse(
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n---\napiVersion: v1\nkind: B\nspec: {a: 1}\n",
    ).manifests;
    expect(at(first!.valueAt("kind"))).toBe("4:26");
    expect(at(second!.valueAt("spec.a"))).toBe("8:11");
  });
});

describe("errors", () => {
  it.each([
    ["a: [1, 2", /^job\.yaml:1:9: .*flow/i],
    ["a: b: c\n", /^job\.yaml:1:4: /],
    ["\tkey: 1\n", /^job\.yaml:1:1: .*[Tt]ab/],
    [
      "apiVersion: v1\nkind: A\nkind: B\n",
      "job.yaml:3:1: kind: this key is here again; the first one is in line 2, and kubectl takes the last one",
    ],
    ["just words\n", "job.yaml:1:1: here is a text; allowed is a Kubernetes object with apiVersion and kind"],
    ["- a\n- b\n", "job.yaml:1:1: here is a list; allowed is a Kubernetes object with apiVersion and kind"],
    ["kind: Job\n", "job.yaml:1:1: apiVersion is missing; every Kubernetes object has one"],
    ["---\n\napiVersion: v1\n", "job.yaml:3:1: kind is missing; every Kubernetes object has one"],
    ["apiVersion: 1\nkind: Job\n", "job.yaml:1:1: apiVersion is a number; allowed is a text such as batch/v1"],
    ["", "job.yaml:1:1: there is no Kubernetes object in this file"],
    ["# only this\n---\n", "job.yaml:1:1: there is no Kubernetes object in this file"],
    ["{apiVersion: v1, kind: A, n: .inf}", "job.yaml:1:30: .inf is a number that JSON cannot hold"],
    ["{apiVersion: v1, kind: A, n: *unknown}", /^job\.yaml:1:\d+: .*unknown/],
    ["{apiVersion: v1, kind: List, items: 5}", "job.yaml:1:1: items of a list must be a list"],
    ["{apiVersion: v1, kind: A, n: !made-up 5}", /^job\.yaml:1:30: .*!made-up/],
  ])("%j", (text, expected) => {
    const [first] = errors(text);
    if (typeof expected === "string") expect(first).toBe(expected);
    else expect(first).toMatch(expected);
  });

  const VALUE = "a value: a text in double quotes, a number, true, false, null, { or [";
  it.each([
    ['{"a": 1, b: [}', '1:10: this is not JSON: here is "b"; allowed is a name in double quotes'],
    ['{"kind": "Job"\n "metadata": {}}', '2:2: this is not JSON: here is "\\""; allowed is a comma or }'],
    ['{"a": 1', "1:8: this is not JSON: the text ends here; allowed is a comma or }"],
    ['{"a" 1}', '1:6: this is not JSON: here is "1"; allowed is a colon'],
    ['{"a": [1, 2}', '1:12: this is not JSON: here is "}"; allowed is a comma or ]'],
    ['{"a": [1 2', '1:10: this is not JSON: here is "2"; allowed is a comma or ]'],
    ['{"a": "b\n', '1:9: this is not JSON: here is the end of the line; allowed is a text up to its closing "'],
    ['{"a": "\\q"', '1:9: this is not JSON: here is "q"; allowed is one of "'],
    ['{"a": "\\u00é9"', '1:12: this is not JSON: here is "é"; allowed is four hexadecimal digits after \\u'],
    ['{"a": [tru]', '1:11: this is not JSON: here is "]"; allowed is true'],
    ['{"a": [-]', '1:9: this is not JSON: here is "]"; allowed is a digit'],
    ['{"a": ❄]', `1:7: this is not JSON: here is "❄"; allowed is ${VALUE}`],
    [" \n{", "2:2: this is not JSON: the text ends here; allowed is a name in double quotes"],
  ])("of JSON are described in JSON's terms: %j", (text, expected) => {
    expect(errors(text)).toEqual([expect.stringContaining(`job.yaml:${expected}`)]);
    expect(errors(text, "job.json")).toEqual([expect.stringContaining(`job.json:${expected}`)]);
  });

  it.each([
    ["{a: [1, 2}", '1:2: this is not JSON: here is "a"; allowed is a name in double quotes'],
    ['{"a": 1} x', '1:10: this is not JSON: here is "x"; allowed is the end of the text; several objects go into the'],
    ["a: [1, 2", `1:1: this is not JSON: here is "a"; allowed is ${VALUE}`],
  ])("of a file in .json, and of no other, are described in JSON's terms: %j", (text, expected) => {
    expect(errors(text, "job.JSON")).toEqual([expect.stringContaining(`job.JSON:${expected}`)]);
    expect(errors(text)[0]).not.toContain("JSON");
  });

  it("of YAML behind a document in JSON are those of YAML", () => {
    expect(errors('{"apiVersion": "v1", "kind": "A"}\n---\na: [1, 2')[0]).toMatch(/^job\.yaml:3:9: .*flow/i);
  });

  it("are none where YAML takes what JSON does not", () => {
    const { manifests, diagnostics } = parse('{"apiVersion": "v1", "kind": "A",}\n', "job.json");
    expect([manifests.length, diagnostics]).toEqual([1, []]);
  });

  it("are bounded in number", () => {
    expect(errors("a: 1\n".repeat(100)).length).toBe(10);
  });

  it("stop a text that would grow without bounds", () => {
    const floors = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(10)}]\n`);
    const bomb = `apiVersion: v1\nkind: A\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${floors.join("")}`;
    expect(errors(bomb)[0]).toMatch(/alias/i);
  });

  it.each<[string, string]>([
    ["spec: &a {template: *a}", "3:21: *a"],
    ["spec: &a\n  - x: {y: *a}", "4:12: *a"],
    ["spec: &a {x: &a 1, y: *a}", ""],
    ["x: &b [&c {y: &a z}, *c, *a]\ny: *b", ""],
    ["metadata: &m {<<: *m}", "3:19: *m"],
    ["items: &i [*i]", "3:12: *i"],
  ])("refuse what repeats itself without end: %s", (field, place) => {
    const endless = place === "" ? [] : [`job.yaml:${place} stands in what it repeats: it has no end`];
    expect(errors(`apiVersion: v1\nkind: AList\n${field}\n`)).toEqual(endless);
  });

  it("stop at a number of objects", () => {
    const { manifests, diagnostics } = parse("{apiVersion: v1, kind: A}\n---\n".repeat(MAX_OBJECTS_PER_FILE + 5));
    expect(manifests).toHaveLength(MAX_OBJECTS_PER_FILE);
    expect(diagnostics[0]?.message).toBe(
      `this is object number ${MAX_OBJECTS_PER_FILE + 1}; allowed are ${MAX_OBJECTS_PER_FILE} a file`,
    );
  });

  it("stop at a depth, and say where", () => {
    const begin = "{apiVersion: v1, kind: A, n: ";
    const nested = (levels: number): string => `${begin}${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(errors(nested(MAX_DEPTH - 1))).toEqual([]);
    expect(errors(nested(MAX_DEPTH))).toEqual([
      `job.yaml:1:${begin.length + MAX_DEPTH}: here begins level 201 of maps and lists; allowed are 200`,
    ]);
  });

  it.each<[string, string]>([
    ["lists", "[".repeat(100_000)],
    ["maps", '{"a":'.repeat(100_000)],
    ["blocks", "- ".repeat(100_000)],
    ["questions", "? ".repeat(100_000)],
    ["indented lines", Array.from({ length: 1000 }, (_, i) => `${" ".repeat(i)}a:\n`).join("")],
  ])("stop at a depth of %s, with one sentence", (_name, text) => {
    expect(errors(text)).toEqual([
      expect.stringMatching(/^job\.yaml:\d+:\d+: here begins level 201 of maps and lists; allowed are 200$/),
    ]);
  });
});
