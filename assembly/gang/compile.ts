/**
 * What a Job asks for becomes the PodGroupTemplate of its Workload: its policy, the rest of spec.scheduling, and the
 * priority class of its pods. The reader is used, so no other document may be open. Source: docs/spec/controller.md
 * section 11, "The template".
 */
import { CLOSE_BRACE } from "../json/punctuation";
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { blobAt, blobSize } from "../memory/blob";
import { ABSENT } from "../model/absent";
import { Job } from "../model/job";
import { copyMember, isCopied } from "./copied-members";
import { writeTemplateName } from "./names";

/** How many pods of the Job start together or not at all; ABSENT: each starts for itself. */
export function gangSizeOf(job: Job): i32 {
  const spec = job.spec;
  if (!spec.isGang) return ABSENT;
  return spec.gangMinCount != ABSENT ? spec.gangMinCount : max(1, spec.parallelism);
}

/** Writes the PodGroupTemplate. */
export function writeCompiled(to: Writer, job: Job): void {
  const size = gangSizeOf(job);
  to.text('{"name":"');
  writeTemplateName(to, job);
  if (size == ABSENT) {
    to.text('","schedulingPolicy":{"basic":{}}');
  } else {
    to.text('","schedulingPolicy":{"gang":{"minCount":');
    to.integer(size);
    to.text("}}");
  }
  writeScheduling(to, job);
  writePriorityClass(to, job);
  to.byte(CLOSE_BRACE);
}

function writeScheduling(to: Writer, job: Job): void {
  if (blobSize(job.scheduling) == 0) return;
  reader.open(blobAt(job.scheduling), blobSize(job.scheduling));
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (isCopied()) copyMember(to);
    else reader.skipValue();
  }
}

function writePriorityClass(to: Writer, job: Job): void {
  reader.open(blobAt(job.template), blobSize(job.template));
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (!reader.stringIs("spec")) {
      reader.skipValue();
      continue;
    }
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      if (!reader.stringIs("priorityClassName")) {
        reader.skipValue();
      } else if (reader.readString() && reader.stringSize() > 0) {
        to.text(',"priorityClassName":');
        to.quoted(reader.stringAt(), reader.stringSize());
      }
    }
  }
}
