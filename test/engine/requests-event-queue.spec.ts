/** Events on their way to the API: no more wait than there is room for, however they came into the queue. */
import "./engine-first";
import { blobAt, blobSize } from "../../assembly/model/blob";
import { addJob, removeJob } from "../../assembly/model/job";
import { zeroed } from "../../assembly/model/memory";
import { acquireName } from "../../assembly/model/names";
import { createAnew, droppedEvents, Event, hasEvents, MAX_QUEUED_EVENTS, queueEvent, takeEvent } from "../../assembly/requests/event-queue";
import { blobOfText } from "./support";

describe("the queue of events", () => {
  it("drops what has no room, also an event that is to be created anew", () => {
    const namespace = blobOfText("default");
    const message = blobOfText("Created pod: p");
    const job = addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText("j"), blobOfText("uid-j"));
    queueEvent(job, false, blobOfText("SuccessfulCreate"), blobAt(message), blobSize(message));
    const patch = takeEvent()!;
    for (let i = 0; i < MAX_QUEUED_EVENTS; ++i) createAnew(zeroed<Event>());
    expect(droppedEvents()).toBe(0);
    createAnew(patch);
    expect(droppedEvents()).toBe(1);
    let queued = 0;
    for (; hasEvents(); ++queued) takeEvent();
    expect(queued).toBe(MAX_QUEUED_EVENTS);
    removeJob(job);
  });
});
