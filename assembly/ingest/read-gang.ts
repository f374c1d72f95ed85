/**
 * Reads a Workload or a PodGroup as the API sends it, in one pass: what it refers to, the PodGroupTemplates of a
 * Workload, and the size of a PodGroup that is a gang. There is one record of facts; the next object that is read
 * replaces them. Source: docs/spec/controller.md section 11.
 */
import * as f from "../json/field-keys";
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { ABSENT } from "../model/absent";
import { writeReference } from "../model/gang-objects";
import { RESOURCE_WORKLOADS } from "../model/sources";
import { ObjectFacts } from "./object-facts";
import { readMetadata } from "./read-metadata";
import { readPolicy } from "./scheduling-policy";

const API_GROUP = f.keyOf("apiGroup");

// The reference of the Workload that was read last.
const reference = new Writer(128);

/** The facts of the Workload or PodGroup that was read last. */
@unmanaged
export class GangFacts extends ObjectFacts {
  /** What it refers to, as in the record of the object (model/gang-objects.ts); size 0: nothing. */
  link: usize;
  linkSize: u32;
  /** For a Workload: its PodGroupTemplates as JSON (size 0: none), and how many they are. */
  templates: usize;
  templatesSize: u32;
  templateCount: i32;
  /** For a PodGroup: the minCount of its gang; ABSENT: it is no gang. */
  minCount: i32;
  /** The RESOURCE_* that it was read as. */
  resource: u8;

  /** Forgets the previous object. */
  begin(resource: u8): void {
    this.beginObject(offsetof<GangFacts>());
    this.resource = resource;
    this.minCount = ABSENT;
  }
}

const gangFacts = changetype<GangFacts>(memory.data(offsetof<GangFacts>(), 8));

/** Reads the object that the reader is at. `isRead` of the facts says whether there is one. */
export function readGangObject(resource: u8): GangFacts {
  const facts = gangFacts;
  facts.begin(resource);
  if (!reader.enterObject()) return facts;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.METADATA) readMetadata(facts);
    else if (key != f.SPEC) facts.readOrSkip(key);
    else if (resource == RESOURCE_WORKLOADS) readWorkload(facts);
    else readPodGroup(facts);
  }
  facts.isRead = reader.ok();
  return facts;
}

function readWorkload(facts: GangFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("controllerRef")) readControllerRef(facts);
    else if (reader.stringIs("podGroupTemplates")) readTemplates(facts);
    else reader.skipValue();
  }
}

function readControllerRef(facts: GangFacts): void {
  let group: usize = 0;
  let groupSize: u32 = 0;
  let kind: usize = 0;
  let kindSize: u32 = 0;
  let name: usize = 0;
  let nameSize: u32 = 0;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key != API_GROUP && key != f.KIND && key != f.NAME) {
      reader.skipValue();
      continue;
    }
    if (!reader.readString()) continue;
    const at = reader.stringAt();
    const size = facts.plainSize("spec.controllerRef: has escapes");
    if (key == API_GROUP) {
      group = at;
      groupSize = size;
    } else if (key == f.KIND) {
      kind = at;
      kindSize = size;
    } else {
      name = at;
      nameSize = size;
    }
  }
  reference.reset();
  writeReference(reference, group, groupSize, kind, kindSize, name, nameSize);
  facts.link = reference.start;
  facts.linkSize = nameSize == 0 ? 0 : reference.length;
}

// Keeps the JSON of the templates, and counts them.
function readTemplates(facts: GangFacts): void {
  reader.peek();
  facts.templates = reader.position();
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    ++facts.templateCount;
    reader.skipValue();
  }
  if (reader.ok()) facts.templatesSize = u32(reader.position() - facts.templates);
}

function readPodGroup(facts: GangFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("workloadRef")) {
      readWorkloadRef(facts);
    } else if (reader.stringIs("schedulingPolicy")) {
      facts.minCount = readPolicy().minCount;
    } else {
      reader.skipValue();
    }
  }
}

function readWorkloadRef(facts: GangFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (!reader.stringIs("workloadName")) {
      reader.skipValue();
    } else if (reader.readString()) {
      facts.link = reader.stringAt();
      facts.linkSize = facts.plainSize("spec.workloadRef.workloadName: has escapes");
    }
  }
}
