/**
 * Creates an event on a Job, or raises its count by a patch. When a patch finds no event, the event is created again.
 * An event that the server refuses is invalid or exists already, so it is not retried unless the server asks for that.
 * events/event-queue.ts decides order and retries. Source: docs/spec/controller.md section 7.
 */
import { DOT, SLASH } from "../json/punctuation";
import { createAnew, Event, eventAnswered, freeEvent, sendAgain, takeEvent } from "../events/event-queue";
import { Answer } from "./answer";
import { beginRequest, endPath, frame, JSON_TYPE, PATCH, POST, Request, STRATEGIC_PATCH_TYPE } from "./request";
import { Step } from "./step";

export class SendEvent extends Step {
  handOutBeside(): Request | null {
    const event = takeEvent();
    if (event === null) return null;
    const request = beginRequest(event.isPatch ? PATCH : POST, null, null);
    request.subject = changetype<usize>(event);
    request.decision = event.decision;
    writeEventPath(event);
    endPath(event.isPatch ? STRATEGIC_PATCH_TYPE : JSON_TYPE);
    if (event.isPatch) writeEventPatch(event);
    else writeEvent(event);
    return request;
  }

  settleBeside(request: Request, answer: Answer): void {
    const event = changetype<Event>(request.subject);
    eventAnswered();
    if (event.isPatch && answer.isNotFound()) createAnew(event);
    else if (!answer.saysWhatWasDone() || answer.isPutOff) sendAgain(event, answer.retryAfterMs);
    else freeEvent(event);
  }
}

function writeEventPath(event: Event): void {
  frame.text("/api/v1/namespaces/");
  frame.blob(event.namespace);
  frame.text("/events");
  if (!event.isPatch) return;
  frame.byte(SLASH);
  writeName(event);
}

function writeName(event: Event): void {
  frame.escapedBlob(event.job);
  frame.byte(DOT);
  frame.hex(event.nanoseconds);
}

/** Writes the strategic merge patch that raises the count of an event. */
function writeEventPatch(event: Event): void {
  frame.text('{"count":');
  frame.integer(event.count);
  frame.text(',"lastTimestamp":');
  frame.time(event.timeMs);
  frame.text(',"message":"');
  writeMessage(event);
  frame.text('"}');
}

function writeMessage(event: Event): void {
  if (event.isCombined) frame.text("(combined from similar events): ");
  frame.escapedBlob(event.message);
}

function writeEvent(event: Event): void {
  frame.text('{"apiVersion":"v1","kind":"Event","metadata":{"name":"');
  writeName(event);
  frame.text('","namespace":');
  frame.quotedBlob(event.namespace);
  frame.text('},"involvedObject":{"apiVersion":"batch/v1","kind":"Job","namespace":');
  frame.quotedBlob(event.namespace);
  frame.text(',"name":');
  frame.quotedBlob(event.job);
  frame.text(',"uid":');
  frame.quotedBlob(event.uid);
  frame.text(',"resourceVersion":"');
  frame.integer(i64(event.resourceVersion));
  frame.text('"},"reason":');
  frame.quotedBlob(event.reason);
  frame.text(',"message":"');
  writeMessage(event);
  frame.text('","source":{"component":"job-controller"},"firstTimestamp":');
  frame.time(event.firstMs);
  frame.text(',"lastTimestamp":');
  frame.time(event.timeMs);
  frame.text(',"count":');
  frame.integer(event.count);
  frame.text(',"type":');
  frame.text(event.isWarning ? '"Warning"' : '"Normal"');
  frame.text(',"eventTime":null,"reportingComponent":');
  frame.text(event.isCombined ? '""' : '"job-controller"');
  frame.text(',"reportingInstance":""}');
}
