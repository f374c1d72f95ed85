/** The other end of a lane with a separate thread: a seed comes in as a message, and its outcome goes out as one. */
import { parentPort } from "node:worker_threads";
import { laneHere, type Task } from "./lanes.ts";

const lane = laneHere();
parentPort!.on("message", (task: Task) => void lane.run(task).then((outcome) => parentPort!.postMessage(outcome)));
