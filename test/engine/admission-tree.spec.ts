/** The JSON tree of admission from the inside: reading, limits, changes and the patch that repeats them. */
import { writePatch } from "../../assembly/admission/json-patch";
import { equal, equalExcept } from "../../assembly/admission/semantic-equality";
import * as reader from "../../assembly/json/reader";
import { ABSENT, ADDED, JsonNode, mismatch, NUMBER, REPLACED, UNCHANGED } from "../../assembly/json/tree";
import { parseTree, writeTree } from "../../assembly/json/tree-text";
import { Writer } from "../../assembly/json/writer";

// The reader looks past the end of what it reads, as far as a Writer has room.
const input = new Writer();

function parse(text: string): JsonNode | null {
  const utf8 = String.UTF8.encode(text);
  input.reset();
  input.bytes(changetype<usize>(utf8), u32(utf8.byteLength));
  return parseTree(input.start, input.length);
}

function tree(text: string): JsonNode {
  const root = parse(text);
  assert(root !== null, "the sample is JSON");
  return root!;
}

function written(node: JsonNode): string {
  const writer = new Writer();
  writeTree(node, writer);
  return String.UTF8.decodeUnsafe(writer.start, writer.length);
}

function patchOf(node: JsonNode): string {
  const writer = new Writer();
  writePatch(node, writer);
  return String.UTF8.decodeUnsafe(writer.start, writer.length);
}

function member(node: JsonNode, key: string): JsonNode {
  const found = node.get(key);
  assert(found !== null, "the sample has the member");
  return found!;
}

describe("parseTree", () => {
  it("keeps order, spelling and every character", () => {
    const text = '{"z":[1.50,-0,1e+3,true,false,null,[],{}],"a":"é𝒳 \\"\\\\\\n\\u0001","":{"b":""}}';
    expect(written(tree(text))).toBe(text);
  });

  it("takes the last of two members with one name, at the place of the first", () => {
    expect(written(tree('{"a":{"x":1},"b":2,"a":[3]}'))).toBe('{"a":[3],"b":2}');
  });

  it("finds members of large objects, also duplicates", () => {
    let text = '{"k0":0';
    for (let i = 1; i < 100; i++) text += ',"k' + i.toString() + '":' + i.toString();
    const root = tree(text + ',"k50":"again"}');
    expect(root.length).toBe(100);
    expect(root.integer("k99")).toBe(99);
    expect(root.string("k50")).toBe("again");
    root.set("k100", JsonNode.integer(100));
    expect(root.integer("k100")).toBe(100);
  });

  it("refuses what is not JSON", () => {
    const broken = [
      "",
      "{",
      "[1,]",
      '{"a"}',
      "01",
      "1.",
      "-",
      "+1",
      "1e",
      ".5",
      "nul",
      "True",
      '"a',
      "1 2",
      '{"a":1,}',
      "[1 2]",
    ];
    for (let i = 0; i < broken.length; i++) {
      expect(parse(broken[i]) === null).toBe(true, broken[i]);
      expect(reader.errorText() === null).toBe(false, broken[i]);
    }
  });

  it("refuses more than a hundred levels", () => {
    expect(parse("[".repeat(101) + "]".repeat(101)) === null).toBe(false);
    expect(parse("[".repeat(102) + "]".repeat(102)) === null).toBe(true);
  });
});

describe("JsonNode", () => {
  it("reads null as missing", () => {
    const root = tree('{"a":null}');
    expect(root.has("a")).toBe(false);
    expect(root.integer("a")).toBe(ABSENT);
    expect(root.string("a")).toBe("");
    expect(mismatch()).toBe("");
  });

  it("reads integers of up to eighteen digits", () => {
    const root = tree('{"a":999999999999999999,"b":-999999999999999999}');
    expect(root.integer("a")).toBe(999999999999999999);
    expect(root.integer("b")).toBe(-999999999999999999);
    expect(mismatch()).toBe("");
  });

  it("records the first field of another type, and where it is", () => {
    const root = tree('{"a":{"b":[{"c":"x"}]},"d":1.5}');
    const element = member(member(root, "a"), "b").first!;
    expect(element.integer("c")).toBe(ABSENT);
    expect(root.integer("d")).toBe(ABSENT);
    expect(mismatch()).toBe("a.b[0].c: expected an integer of 64 bits, got a string");
  });

  it("marks what was added and what was replaced, and nothing else", () => {
    const root = tree('{"a":1,"n":null,"l":[1],"s":{"t":2}}');
    root.set("new/~", JsonNode.string("v"));
    root.set("n", JsonNode.boolean(true));
    member(member(root, "s"), "t").become(JsonNode.integer(3));
    const added = root.set("o", JsonNode.object());
    added.set("inside", JsonNode.integer(3));
    expect(member(root, "a").change).toBe(UNCHANGED);
    expect(member(root, "n").change).toBe(REPLACED);
    expect(member(root, "new/~").change).toBe(ADDED);
    expect(patchOf(root)).toBe(
      '[{"op":"replace","path":"/n","value":true},{"op":"replace","path":"/s/t","value":3},{"op":"add","path":"/new~1~0","value":"v"},{"op":"add","path":"/o","value":{"inside":3}}]',
    );
  });

  it("turns a null into an object when a member is set, and leaves other kinds alone", () => {
    const root = tree('{"a":null,"b":7}');
    root.find("a")!.set("x", JsonNode.integer(1));
    root.find("b")!.set("x", JsonNode.integer(1));
    expect(written(root)).toBe('{"a":{"x":1},"b":7}');
    expect(patchOf(root)).toBe('[{"op":"replace","path":"/a","value":{"x":1}}]');
  });

  it("copies without history", () => {
    const root = tree('{"a":[1,{"b":"c"}]}');
    const copy = root.clone();
    copy.set("d", JsonNode.integer(1));
    expect(written(root)).toBe('{"a":[1,{"b":"c"}]}');
    expect(written(copy)).toBe('{"a":[1,{"b":"c"}],"d":1}');
    expect(member(copy, "a").first!.kind).toBe(NUMBER);
  });
});

describe("semantic equality", () => {
  it("takes nothing, null and empty values for one", () => {
    const same = [
      '{"a":null}',
      '{"a":[]}',
      '{"a":{}}',
      '{"a":""}',
      '{"hostNetwork":false}',
      '{"initialDelaySeconds":0}',
    ];
    for (let i = 0; i < same.length; i++) expect(equal(tree(same[i]), tree("{}"))).toBe(true, same[i]);
  });

  it("distinguishes pointers to zero and entries of maps from nothing", () => {
    const different = ['{"a":0}', '{"a":false}', '{"a":[null]}', '{"labels":{"a":""}}', '{"a":{"b":1}}'];
    for (let i = 0; i < different.length; i++) {
      expect(equal(tree(different[i]), tree("{}"))).toBe(false, different[i]);
      expect(equal(tree("{}"), tree(different[i]))).toBe(false, different[i]);
    }
  });

  it("looks at the order of elements, not of members", () => {
    expect(equal(tree('{"a":1,"b":2}'), tree('{"b":2,"a":1}'))).toBe(true);
    expect(equal(tree("[1,2]"), tree("[2,1]"))).toBe(false);
    expect(equal(tree("[1]"), tree("[1,1]"))).toBe(false);
  });

  it("leaves named members aside", () => {
    expect(equalExcept(tree('{"a":1,"b":2}'), tree('{"b":2}'), "a")).toBe(true);
    expect(equalExcept(tree('{"a":1,"b":3}'), tree('{"b":2}'), "a")).toBe(false);
    expect(equalExcept(null, tree('{"a":1}'), "a")).toBe(true);
    expect(equalExcept(null, tree('{"a":1}'), "b")).toBe(false);
  });
});
