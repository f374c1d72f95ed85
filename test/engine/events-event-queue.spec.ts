/**
 * Events on their way to the API: no more of them than there is room for, a count goes up by one write after the other,
 * and what gets no answer goes again, alone and before all others.
 */
import "./engine-first";
import { blobAt, blobIs, blobSize } from "../../assembly/memory/blob";
import { addJob, Job, removeJob } from "../../assembly/model/job";
import { acquireName } from "../../assembly/memory/names";
import {
  createAnew,
  droppedEvents,
  Event,
  eventAnswered,
  heldEventsDueMs,
  MAX_EVENT_TRIES,
  MAX_QUEUED_EVENTS,
  queueEvent,
  sendAgain,
  takeEvent,
} from "../../assembly/events/event-queue";
import { now, setNow } from "../../assembly/time/now";
import { blobOfText } from "./support";

/** The budget of one Job and type. */
const EVENTS_A_JOB: i32 = 25;
const RETRY_MS: f64 = 10000;

function newJob(name: string): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("uid-" + name));
}

function queueMessage(job: Job, text: string): void {
  const message = blobOfText(text);
  queueEvent(job, 7, false, blobOfText("SuccessfulCreate"), blobAt(message), blobSize(message));
}

function says(event: Event, text: string): bool {
  const wanted = blobOfText(text);
  return blobIs(event.message, blobAt(wanted), blobSize(wanted));
}

describe("the queue of events", () => {
  it("drops what has no room, and keeps room for what is under way", () => {
    const jobs = new Array<Job>(0);
    while (jobs.length * EVENTS_A_JOB < MAX_QUEUED_EVENTS) {
      const job = newJob("full" + jobs.length.toString());
      jobs.push(job);
      for (let i = 0; i < EVENTS_A_JOB; ++i) queueMessage(job, "Created pod: " + i.toString());
    }
    expect(droppedEvents()).toBe(0);
    const event = takeEvent()!;
    jobs.push(newJob("more"));
    queueMessage(jobs[jobs.length - 1], "Created pod: p");
    expect(droppedEvents()).toBe(1);
    eventAnswered();
    createAnew(event);
    let queued = 0;
    for (; takeEvent() !== null; ++queued) eventAnswered();
    expect(queued).toBe(MAX_QUEUED_EVENTS);
    expect(droppedEvents()).toBe(1);
    for (let i = 0; i < jobs.length; ++i) removeJob(jobs[i]);
  });

  it("holds a patch back while the write of an event is under way, and what comes behind it too", () => {
    const job = newJob("patches");
    for (let i = 0; i < 3; ++i) queueMessage(job, "Created pod: p");
    queueMessage(job, "Created pod: q");
    expect(takeEvent()!.isPatch).toBe(false);
    expect(takeEvent() === null).toBe(true);
    eventAnswered();
    expect(takeEvent()!.count).toBe(2);
    expect(takeEvent() === null).toBe(true);
    eventAnswered();
    expect(takeEvent()!.count).toBe(3);
    expect(takeEvent()!.isPatch).toBe(false);
    eventAnswered();
    eventAnswered();
    removeJob(job);
  });

  it("sends what got no answer again after a time, one after the other in their order", () => {
    const job = newJob("lost");
    for (let i = 1; i <= 4; ++i) queueMessage(job, "Created pod: p" + i.toString());
    const events = [takeEvent()!, takeEvent()!, takeEvent()!];
    expect(heldEventsDueMs()).toBe(Infinity);
    for (let i = 2; i >= 0; --i) {
      eventAnswered();
      sendAgain(events[i], 0);
    }
    const sentMs = now();
    expect(heldEventsDueMs()).toBe(sentMs + RETRY_MS);
    expect(takeEvent() === null).toBe(true);
    setNow(sentMs + RETRY_MS);
    expect(heldEventsDueMs()).toBe(Infinity);
    for (let i = 1; i <= 3; ++i) {
      expect(says(takeEvent()!, "Created pod: p" + i.toString())).toBe(true);
      expect(takeEvent() === null).toBe(true, "while it is under way");
      eventAnswered();
    }
    expect(says(takeEvent()!, "Created pod: p4")).toBe(true);
    eventAnswered();
    removeJob(job);
  });

  it("waits as long as the server asks, and until writes that were under way are answered", () => {
    const job = newJob("asked");
    queueMessage(job, "Created pod: p1");
    queueMessage(job, "Created pod: p2");
    const event = takeEvent()!;
    takeEvent();
    eventAnswered();
    const sentMs = now();
    sendAgain(event, 500);
    expect(heldEventsDueMs()).toBe(sentMs + 500);
    setNow(sentMs + 500);
    expect(takeEvent() === null).toBe(true);
    eventAnswered();
    expect(takeEvent() === event).toBe(true);
    eventAnswered();
    removeJob(job);
  });

  it("gives an event up after twelve tries, and holds nothing for it", () => {
    const job = newJob("given-up");
    queueMessage(job, "Created pod: p");
    const before = droppedEvents();
    let tries = 0;
    for (let event = takeEvent(); event !== null; event = takeEvent()) {
      ++tries;
      eventAnswered();
      sendAgain(event, 0);
      if (droppedEvents() == before) setNow(heldEventsDueMs());
    }
    expect(tries).toBe(MAX_EVENT_TRIES);
    expect(droppedEvents()).toBe(before + 1);
    expect(heldEventsDueMs()).toBe(Infinity);
    removeJob(job);
  });
});
