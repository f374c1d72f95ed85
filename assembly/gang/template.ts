/**
 * One PodGroupTemplate of a known Workload, read from the JSON that the record of the Workload keeps. There is one
 * record of facts; the next template that is read replaces them. The reader is used, so no other document may be open.
 * Source: docs/spec/controller.md section 11.
 */
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { readPolicy } from "../ingest/scheduling-policy";
import { blobAt, blobIs, blobSize } from "../memory/blob";
import { ABSENT } from "../model/absent";
import { GangObject } from "../model/gang-objects";
import { copyMember, isCopied } from "./copied-members";

/** The facts of the template that was read last. Addresses are those of the Workload's JSON. */
@unmanaged
export class Template {
  /** Its JSON. */
  private at: usize;
  private size: u32;
  name: usize;
  nameSize: u32;
  /** Its minCount, and the number as written in the JSON; ABSENT: the template is no gang. */
  minCount: i32;
  private minCountAt: usize;
  private minCountSize: u32;

  /** Reads the template that the reader is at. */
  read(): void {
    memory.fill(changetype<usize>(this), 0, offsetof<Template>());
    this.minCount = ABSENT;
    copies.reset();
    reader.peek();
    this.at = reader.position();
    if (!reader.enterObject()) return;
    while (reader.nextKey()) {
      if (reader.stringIs("name")) {
        if (!reader.readString()) continue;
        this.name = reader.stringAt();
        this.nameSize = reader.stringSize();
      } else if (reader.stringIs("schedulingPolicy")) {
        this.readPolicy();
      } else if (isCopied()) {
        copyMember(copies);
      } else {
        reader.skipValue();
      }
    }
    this.size = u32(reader.position() - this.at);
  }

  private readPolicy(): void {
    reader.peek();
    const from = reader.position();
    const policy = readPolicy();
    this.minCount = policy.minCount;
    this.minCountAt = policy.minCountAt;
    this.minCountSize = policy.minCountSize;
    copies.text(',"schedulingPolicy":');
    copies.bytes(from, u32(reader.position() - from));
  }

  /** Writes the members of the PodGroup's spec that come from the template, each with a comma before it. */
  writeCopies(to: Writer): void {
    to.bytes(copies.start, copies.length);
  }

  /** Writes the template with another minCount. It must be a gang. */
  writeResized(to: Writer, minCount: i32): void {
    to.bytes(this.at, u32(this.minCountAt - this.at));
    to.integer(minCount);
    const rest = this.minCountAt + this.minCountSize;
    to.bytes(rest, u32(this.at + this.size - rest));
  }
}

const template = changetype<Template>(memory.data(offsetof<Template>(), 8));
// What a PodGroup copies from the template that was read last.
const copies = new Writer(512);

/** The first template of the Workload that has this name, or the first of all when the name is empty; null: none. */
export function findTemplate(workload: GangObject, name: usize): Template | null {
  if (workload.templates == 0) return null;
  reader.open(blobAt(workload.templates), blobSize(workload.templates));
  if (!reader.enterArray()) return null;
  while (reader.nextElement()) {
    template.read();
    if (blobSize(name) == 0 || blobIs(name, template.name, template.nameSize)) return template;
  }
  return null;
}
