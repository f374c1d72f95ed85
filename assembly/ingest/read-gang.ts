/**
 * A Workload or a PodGroup as the API sends it, as facts taken in one pass: what it refers to, and of a Workload its
 * first PodGroupTemplate. The facts are addresses in the document and stay valid until the next object is read. Source:
 * docs/spec/controller.md section 11.
 */
import * as documentKind from "./document-kind";
import * as f from "../json/field-keys";
import * as metadata from "./metadata";
import { RESOURCE_WORKLOADS } from "../model/sources";
import * as reader from "../json/reader";

/** Name of the Job, or of the Workload, that it refers to; size 0: none. */
export let link: usize = 0;
export let linkSize: u32 = 0;
export let templateCount: i32 = 0;
export let templateName: usize = 0;
export let templateNameSize: u32 = 0;
/** JSON; size 0: none. */
export let schedulingPolicy: usize = 0;
export let schedulingPolicySize: u32 = 0;

/** Reads the object that the reader stands at. False when it is not an object; problems are in metadata.problem. */
export function read(resource: u8): bool {
  metadata.begin();
  linkSize = 0;
  templateCount = 0;
  templateNameSize = 0;
  schedulingPolicySize = 0;
  if (!reader.enterObject()) return false;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.METADATA) metadata.read();
    else if (key != f.SPEC) documentKind.readOrSkip(key);
    else if (resource == RESOURCE_WORKLOADS) readWorkload();
    else readPodGroup();
  }
  return reader.ok();
}

function readWorkload(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("controllerRef")) readControllerRef();
    else if (reader.stringIs("podGroupTemplates")) readTemplates();
    else reader.skipValue();
  }
}

function readControllerRef(): void {
  let isBatch = false;
  let isJob = false;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("apiGroup")) isBatch = reader.readString() && reader.stringIs("batch");
    else if (reader.stringIs("kind")) isJob = reader.readString() && reader.stringIs("Job");
    else if (reader.stringIs("name")) readLink("spec.controllerRef.name: has escapes");
    else reader.skipValue();
  }
  if (!isBatch || !isJob) linkSize = 0;
}

function readTemplates(): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (templateCount++ > 0) {
      reader.skipValue();
      continue;
    }
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      if (reader.stringIs("name")) {
        if (!reader.readString()) continue;
        templateName = reader.stringAt();
        templateNameSize = metadata.plainSize("spec.podGroupTemplates[].name: has escapes");
      } else if (reader.stringIs("schedulingPolicy")) {
        if (reader.readNull()) continue;
        reader.peek();
        schedulingPolicy = reader.position();
        reader.skipValue();
        schedulingPolicySize = u32(reader.position() - schedulingPolicy);
      } else {
        reader.skipValue();
      }
    }
  }
}

function readPodGroup(): void {
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
        if (reader.stringIs("workloadName")) readLink("spec.podGroupTemplateRef.workload.workloadName: has escapes");
        else reader.skipValue();
      }
    }
  }
}

function readLink(wrong: string): void {
  if (!reader.readString()) return;
  link = reader.stringAt();
  linkSize = metadata.plainSize(wrong);
}
