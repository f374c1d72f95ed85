/**
 * What an error answer says: the message of a Status body or, if there is none, the HTTP status in words. Proxies and
 * webhooks may send any body, so this file accepts every body. Source: docs/spec/api.md 6.9.
 */
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { blobOf, cutAtCharacter, freeBlob } from "../memory/blob";
import * as f from "../json/field-keys";

const DETAILS = f.keyOf("details");
const CAUSES = f.keyOf("causes");

/** Longer messages are cut. */
const MAX_MESSAGE_BYTES: u32 = 512;

const text = new Writer(256);

/** What the last error answer said. */
@unmanaged
export class StatusError {
  /** A blob that belongs to the record. It lasts until the next error is read. */
  message: usize;
  /** The error has the cause NamespaceTerminating. */
  isNamespaceTerminating: bool;
}

const error = changetype<StatusError>(memory.data(offsetof<StatusError>(), 8));

/** Whether the answer is a Status, as API servers send; for example, not the page of a proxy. */
export function isStatus(ptr: usize, length: u32): bool {
  return statusOf(ptr, length) != STATUS_NONE;
}

/** Whether the answer is a Status of success, which is all that some deletions return. */
export function isSuccessStatus(ptr: usize, length: u32): bool {
  return statusOf(ptr, length) == STATUS_SUCCESS;
}

const STATUS_NONE: i32 = 0;
const STATUS_OTHER: i32 = 1;
const STATUS_SUCCESS: i32 = 2;

function statusOf(ptr: usize, length: u32): i32 {
  let isKind = false;
  let isSuccess = false;
  reader.open(ptr, length);
  if (reader.peek() != 0x7b || !reader.enterObject()) return STATUS_NONE;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.KIND) isKind = reader.readString() && reader.stringIs("Status");
    else if (key == f.STATUS && reader.peek() == 0x22) isSuccess = reader.readString() && reader.stringIs("Success");
    else reader.skipValue();
  }
  if (!isKind || !reader.atEnd()) return STATUS_NONE;
  return isSuccess ? STATUS_SUCCESS : STATUS_OTHER;
}

/**
 * Reads an answer that is no success. `status` is the HTTP status; 0: the answer was lost or cannot be read. There is
 * one record; the next error that is read replaces it.
 */
export function readStatusError(ptr: usize, length: u32, status: i32): StatusError {
  error.isNamespaceTerminating = false;
  text.reset();
  if (status == 0) {
    text.text(length == 0 ? "the answer was lost" : "the answer cannot be read");
  } else {
    readBody(ptr, length);
    if (text.length == 0) {
      text.text("HTTP status ");
      text.integer(status);
    }
  }
  freeBlob(error.message);
  error.message = blobOf(text.start, text.length);
  return error;
}

function readBody(ptr: usize, length: u32): void {
  reader.open(ptr, length);
  if (reader.peek() != 0x7b || !reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.MESSAGE) {
      if (reader.readString()) {
        text.reset();
        text.bytes(reader.stringAt(), cutAtCharacter(reader.stringAt(), reader.stringSize(), MAX_MESSAGE_BYTES));
      }
    } else if (key == DETAILS) {
      readDetails();
    } else {
      reader.skipValue();
    }
  }
}

function readDetails(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (f.key() != CAUSES) {
      reader.skipValue();
      continue;
    }
    if (!reader.enterArray()) continue;
    while (reader.nextElement()) {
      if (!reader.enterObject()) continue;
      while (reader.nextKey()) {
        if (f.key() != f.REASON) reader.skipValue();
        else if (reader.readString() && reader.stringIs("NamespaceTerminating")) error.isNamespaceTerminating = true;
      }
    }
  }
}
