/** Events on their way to the API: no more wait than there is room for, and a count goes up by one write after the other. */
import "./engine-first";
import { blobAt, blobSize } from "../../assembly/model/blob";
import { addJob, Job, removeJob } from "../../assembly/model/job";
import { zeroed } from "../../assembly/model/memory";
import { acquireName } from "../../assembly/model/names";
import { createAnew, droppedEvents, Event, eventAnswered, MAX_QUEUED_EVENTS, queueEvent, takeEvent } from "../../assembly/requests/event-queue";
import { blobOfText } from "./support";

function newJob(): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText("j"), blobOfText("uid-j"));
}

describe("the queue of events", () => {
  it("drops what has no room, also an event that is to be created anew", () => {
    const message = blobOfText("Created pod: p");
    const job = newJob();
    queueEvent(job, false, blobOfText("SuccessfulCreate"), blobAt(message), blobSize(message));
    const patch = takeEvent()!;
    for (let i = 0; i < MAX_QUEUED_EVENTS; ++i) createAnew(zeroed<Event>());
    expect(droppedEvents()).toBe(0);
    createAnew(patch);
    expect(droppedEvents()).toBe(1);
    let queued = 0;
    for (; takeEvent() !== null; ++queued) eventAnswered();
    expect(queued).toBe(MAX_QUEUED_EVENTS);
    removeJob(job);
    eventAnswered();
  });

  it("holds a patch back while the write of an event is under way, and what comes behind it too", () => {
    const again = blobOfText("Created pod: p");
    const other = blobOfText("Created pod: q");
    const job = newJob();
    for (let i = 0; i < 3; ++i) queueEvent(job, false, blobOfText("SuccessfulCreate"), blobAt(again), blobSize(again));
    queueEvent(job, false, blobOfText("SuccessfulCreate"), blobAt(other), blobSize(other));
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
});
