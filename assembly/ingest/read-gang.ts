/**
 * Reads a Workload or a PodGroup as the API sends it, in one pass: what it refers to and, for a Workload, its first
 * PodGroupTemplate. There is one record of facts; the next object that is read replaces them. Source:
 * docs/spec/controller.md section 11.
 */
import * as f from "../json/field-keys";
import { RESOURCE_WORKLOADS } from "../model/sources";
import * as reader from "../json/reader";
import { ObjectFacts } from "./object-facts";
import { readMetadata } from "./read-metadata";

/** The facts of the Workload or PodGroup that was read last. */
@unmanaged
export class GangFacts extends ObjectFacts {
  /** Name of the Job (for a Workload) or of the Workload (for a PodGroup) that it refers to; size 0: none. */
  link: usize;
  linkSize: u32;
  templateCount: i32;
  templateName: usize;
  templateNameSize: u32;
  /** JSON; size 0: none. */
  schedulingPolicy: usize;
  schedulingPolicySize: u32;
  /** The RESOURCE_* that it was read as. */
  resource: u8;

  /** Forgets the previous object. */
  begin(resource: u8): void {
    this.beginObject(offsetof<GangFacts>());
    this.resource = resource;
  }
}

const gangFacts = changetype<GangFacts>(memory.data(offsetof<GangFacts>(), 8));

/** Reads the object that the reader stands at. `isRead` of the facts says whether there is one. */
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
  let isBatch = false;
  let isJob = false;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("apiGroup")) isBatch = reader.readString() && reader.stringIs("batch");
    else if (reader.stringIs("kind")) isJob = reader.readString() && reader.stringIs("Job");
    else if (reader.stringIs("name")) readLink(facts, "spec.controllerRef.name: has escapes");
    else reader.skipValue();
  }
  if (!isBatch || !isJob) facts.linkSize = 0;
}

function readTemplates(facts: GangFacts): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (facts.templateCount++ > 0) {
      reader.skipValue();
      continue;
    }
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      if (reader.stringIs("name")) {
        if (!reader.readString()) continue;
        facts.templateName = reader.stringAt();
        facts.templateNameSize = facts.plainSize("spec.podGroupTemplates[].name: has escapes");
      } else if (reader.stringIs("schedulingPolicy")) {
        if (reader.readNull()) continue;
        reader.peek();
        facts.schedulingPolicy = reader.position();
        reader.skipValue();
        facts.schedulingPolicySize = u32(reader.position() - facts.schedulingPolicy);
      } else {
        reader.skipValue();
      }
    }
  }
}

function readPodGroup(facts: GangFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (!reader.stringIs("podGroupTemplateRef")) {
      reader.skipValue();
      continue;
    }
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      if (!reader.stringIs("workload")) {
        reader.skipValue();
        continue;
      }
      if (!reader.enterObject()) continue;
      while (reader.nextKey()) {
        if (reader.stringIs("workloadName"))
          readLink(facts, "spec.podGroupTemplateRef.workload.workloadName: has escapes");
        else reader.skipValue();
      }
    }
  }
}

function readLink(facts: GangFacts, wrong: string): void {
  if (!reader.readString()) return;
  facts.link = reader.stringAt();
  facts.linkSize = facts.plainSize(wrong);
}
