/**
 * The metrics as text: what the engine holds now, and what it has counted (metrics/). Leaves out when each is counted.
 * Format: bindings/ABI.md, "metrics".
 */
import { beginResult, endResult } from "../abi/result";
import { droppedEvents } from "../events/event-queue";
import { CLOSE_BRACE } from "../json/punctuation";
import { waitingCount } from "../lifecycle/waiting-pods";
import { writeFamilies } from "../metrics/write-families";
import { jobCount } from "../model/job";
import { podCount } from "../model/pod";
import { dueCount } from "../queue/due-heap";
import { syncsStarted } from "../sync/sync";
import { requestsUnderWay } from "../turns/in-flight";
import { writeCount } from "./explain";

/** Writes what the engine holds and has done. Returns the address of the metrics. */
export function metrics(): usize {
  const to = beginResult();
  to.text('{"jobs":');
  to.integer(jobCount());
  writeCount(to, "pods", podCount());
  writeCount(to, "waitingPods", waitingCount());
  writeCount(to, "due", dueCount());
  writeCount(to, "requestsUnderWay", requestsUnderWay());
  to.text(',"syncs":');
  to.number(syncsStarted());
  to.text(',"eventsDropped":');
  to.number(droppedEvents());
  to.text(',"memoryBytes":');
  to.integer(i64(memory.size()) * 65536);
  to.text(',"families":');
  writeFamilies(to);
  to.byte(CLOSE_BRACE);
  return endResult();
}
