/**
 * The JSON Patch (RFC 6902) that repeats the changes made to a tree since it was read. It has one operation for each
 * node that was added or replaced, and none for what lies below such a node. Invariant: applied to the document that
 * was read, it gives the tree as it is now. Leaves out `remove`, because admission removes nothing.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "../json/punctuation";
import { decimal, replaced } from "../json/text";
import { ADDED, after, JsonNode, OBJECT, UNCHANGED } from "../json/tree";
import { writeString, writeTree } from "../json/tree-text";
import { Writer } from "../json/writer";

/** Writes the patch, a JSON array. Returns the number of operations. */
export function writePatch(root: JsonNode, writer: Writer): i32 {
  writer.byte(OPEN_BRACKET);
  const operations = writeChanges(root, "", 0, writer);
  writer.byte(CLOSE_BRACKET);
  return operations;
}

function writeChanges(node: JsonNode, pointer: string, before: i32, writer: Writer): i32 {
  let operations = before;
  for (let child = node.first; child !== null; child = after(child)) {
    if (child.change == UNCHANGED && child.first === null) continue;
    const path = pointer + "/" + (node.kind == OBJECT ? escapeToken(child.key) : decimal(child.index));
    if (child.change == UNCHANGED) {
      operations = writeChanges(child, path, operations, writer);
      continue;
    }
    if (operations++ > 0) writer.byte(COMMA);
    writer.text(child.change == ADDED ? '{"op":"add","path":' : '{"op":"replace","path":');
    writeString(path, writer);
    writer.text(',"value":');
    writeTree(child, writer);
    writer.byte(CLOSE_BRACE);
  }
  return operations;
}

function escapeToken(key: string): string {
  return replaced(replaced(key, "~", "~0"), "/", "~1");
}
