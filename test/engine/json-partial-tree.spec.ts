/** A part of a document as a tree: what is wanted, what is skipped, and what several objects have in common. */
import { MemberNames } from "../../assembly/json/member-names";
import { PartialReader } from "../../assembly/json/partial-tree";
import * as reader from "../../assembly/json/reader";
import { JsonNode, mismatch, NULL } from "../../assembly/json/tree";
import { openTree, writeTree } from "../../assembly/json/tree-text";
import { Writer } from "../../assembly/json/writer";

// The reader looks past the end of what it reads, as far as a Writer has room.
const input = new Writer();
const LONG = "batch.kubernetes.io/job-completion-index";
const wanted = MemberNames.of(["a", "name", "list", "startTime", "terminated", "spec", LONG]);

function parse(text: string): JsonNode | null {
  const utf8 = String.UTF8.encode(text);
  input.reset();
  input.bytes(changetype<usize>(utf8), u32(utf8.byteLength));
  openTree(input.start, input.length);
  const root = new JsonNode(NULL, "null");
  new PartialReader(wanted, ["spec"]).readInto(root, 0);
  return reader.atEnd() ? root : null;
}

function written(text: string): string {
  const writer = new Writer();
  writeTree(parse(text)!, writer);
  return String.UTF8.decodeUnsafe(writer.start, writer.length);
}

describe("a partial tree", () => {
  it("has the wanted members alone, at any depth, in their order", () => {
    const text = '{"name":"é","x":{"name":1,"]":"}"},"list":[{"y":[[]],"a":-1.5},null,"t"],"terminated":{"a":true}}';
    expect(written(text)).toBe('{"name":"é","list":[{"a":-1.5},null,"t"],"terminated":{"a":true}}');
  });

  it("tells names apart that are alike at both ends", () => {
    const other = "batch.kubernetes.io/job-xompletion-index";
    expect(written('{"' + other + '":1,"' + LONG + '":2,"startTime":3,"startXime":4,"b":5,"":6}')).toBe(
      '{"' + LONG + '":2,"startTime":3}',
    );
  });

  it("takes a name with escapes for what it is", () => {
    expect(written('{"n\\u0061me":1,"\\u006e":2}')).toBe('{"name":1}');
  });

  it("takes the last of two members with one name, at the place of the first", () => {
    expect(written('{"a":{"a":1},"name":2,"a":[3]}')).toBe('{"a":[3],"name":2}');
    expect(written('{"spec":{"a":1},"name":2,"spec":{"a":3}}')).toBe('{"spec":{"a":3},"name":2}');
  });

  it("has equal texts once, and texts of other characters as they are", () => {
    const root = parse('{"list":["same","same","Ã©","é","é"]}')!.list("list")!;
    const first = root.first!;
    expect(changetype<usize>(first.text)).toBe(changetype<usize>(first.next!.text));
    expect(written('{"list":["same","same","Ã©","é","é"]}')).toBe('{"list":["same","same","Ã©","é","é"]}');
  });

  it("shares members that are alike, and no others", () => {
    const text =
      '{"list":[{"spec": {"a":[1]}},{"spec":{"a":[1]}},{"spec":{"a":[1]}},{"spec":{"a":[2]}},{"spec":null}]}';
    expect(written(text)).toBe(
      '{"list":[{"spec":{"a":[1]}},{"spec":{"a":[1]}},{"spec":{"a":[1]}},{"spec":{"a":[2]}},{"spec":null}]}',
    );
    const second = parse(text)!.list("list")!.first!.next!;
    expect(second.object("spec")!.first === second.next!.object("spec")!.first).toBe(true);
    expect(second.object("spec")!.path()).toBe("list[1].spec");
  });

  it("records a field of the wrong type with its path", () => {
    const root = parse('{"list":[{"a":1},{"a":{}}]}')!;
    root.list("list")!.last!.string("a");
    expect(mismatch()).toBe("list[1].a: expected a string, got an object");
  });

  it("refuses what is no JSON around and behind what it skips", () => {
    expect(parse('{"x":') === null).toBe(true);
    expect(parse('{"x":1 "a":2}') === null).toBe(true);
    expect(parse('{"a":1}x') === null).toBe(true);
    expect(parse('{"spec":{"a":}}') === null).toBe(true);
    expect(parse('{"a":yes}') === null).toBe(true);
  });
});
