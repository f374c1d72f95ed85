/**
 * The members that pass from spec.scheduling of a Job to the template of its Workload, and from a template to its
 * PodGroup. The policy is apart, since its size is compared. Source: docs/spec/controller.md section 11.
 */
import { COLON, COMMA, OPEN_BRACE, OPEN_BRACKET } from "../json/punctuation";
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { blobIs, literal } from "../memory/blob";

const COPIED: StaticArray<usize> = [
  literal("schedulingConstraints"),
  literal("disruptionMode"),
  literal("resourceClaims"),
  literal("priorityClassName"),
  literal("priority"),
];

/** Whether the member whose name was read passes on. */
export function isCopied(): bool {
  for (let i = 0; i < COPIED.length; ++i) {
    if (blobIs(COPIED[i], reader.stringAt(), reader.stringSize())) return true;
  }
  return false;
}

/** Writes the member that the reader is at, after a comma; nothing if it is null, `{}` or `[]`. */
export function copyMember(to: Writer): void {
  const start = to.length;
  to.byte(COMMA);
  to.quoted(reader.stringAt(), reader.stringSize());
  to.byte(COLON);
  const head = reader.peek();
  const from = reader.position();
  reader.skipValue();
  const size = u32(reader.position() - from);
  const isEmpty = size == 2 && (head == OPEN_BRACE || head == OPEN_BRACKET);
  if (isEmpty || head == LOWER_N) to.length = start;
  else to.bytes(from, size);
}

// Of null.
const LOWER_N: u32 = 0x6e;
