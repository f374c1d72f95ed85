/**
 * A question about a Job: a JSON object with the Job and what is known around it. The answers are functions of it, and
 * neither read nor change what the controller knows. Invariant: any bytes give a question or a refusal.
 */
import { BAD_JSON, refuse, refuseTime } from "../abi/codes";
import { OPEN_BRACE } from "../json/punctuation";
import * as reader from "../json/reader";
import { decimal } from "../json/text";
import { MemberNames } from "../json/member-names";
import { PartialReader } from "../json/partial-tree";
import { JsonNode, mismatch, NULL, OBJECT } from "../json/tree";
import { countValue, decode, memberNamed, openTree, parseTree, readInto } from "../json/tree-text";
import { collectGarbage, noteGarbage } from "../memory/garbage";
import { isTime } from "../time/now";
import { defaultJob } from "./defaults-job";

/** The largest question that is read, in bytes. */
export const MAX_QUESTION_BYTES: u32 = 8 * 1024 * 1024;

/** A list of a question, the names of what is read of its items, and of what most of them have in common. */
export class LongList {
  name: string;
  members: MemberNames;
  alike: StaticArray<string>;

  constructor(name: string, members: StaticArray<string>, alike: StaticArray<string>) {
    this.name = name;
    this.members = MemberNames.of(members);
    this.alike = alike;
  }
}

/**
 * Reads a question, and sets the defaults of its Job. It collects garbage: only the first line of an export may call
 * it. Null: it was refused.
 * @param lists of these only a part is read; of the others all is
 */
export function readQuestion(ptr: usize, length: u32, now: f64, lists: LongList[] = []): JsonNode | null {
  collectGarbage();
  noteGarbage();
  if (!isTime(now)) {
    refuseTime();
    return null;
  }
  if (length > MAX_QUESTION_BYTES) {
    refuseQuestion("it has " + decimal(length) + " bytes, and at most " + decimal(MAX_QUESTION_BYTES) + " are read");
    return null;
  }
  const question = lists.length == 0 ? parseTree(ptr, length) : parseParts(ptr, length, lists);
  if (question === null) {
    const problem = reader.errorText();
    refuseQuestion((problem === null ? "" : problem) + ", at byte " + decimal(reader.errorOffset()));
    return null;
  }
  const job = question.object("job");
  if (job === null) {
    const problem = mismatch();
    refuseQuestion(problem.length > 0 ? problem : "job: a Job is needed");
    return null;
  }
  const kind = job.string("kind");
  if (kind.length > 0 && kind != "Job") {
    refuseQuestion('job.kind: "' + kind + '" is no Job');
    return null;
  }
  defaultJob(job);
  return question;
}

// As parseTree, without what is not read of these lists.
function parseParts(ptr: usize, length: u32, lists: LongList[]): JsonNode | null {
  openTree(ptr, length);
  const root = new JsonNode(NULL, "null");
  if (reader.peek() != OPEN_BRACE) {
    readInto(root, 0);
    return reader.atEnd() ? root : null;
  }
  countValue(0);
  root.kind = OBJECT;
  root.text = "";
  reader.enterObject();
  while (reader.nextKey()) {
    const name = decode(reader.stringAt(), reader.stringSize());
    const member = memberNamed(root, name);
    const list = listNamed(lists, name);
    if (list === null) readInto(member, 1);
    else new PartialReader(list.members, list.alike).readInto(member, 1);
  }
  return reader.atEnd() ? root : null;
}

function listNamed(lists: LongList[], name: string): LongList | null {
  for (let i = 0; i < lists.length; i++) if (lists[i].name == name) return lists[i];
  return null;
}

/** Refuses a question. Returns 0. */
export function refuseQuestion(problem: string): usize {
  refuse(BAD_JSON, "the question cannot be read: " + problem);
  return 0;
}
