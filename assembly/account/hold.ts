/** One thing that holds a Job: a code of ABI.md, "account", and what it names. */
export class Hold {
  code: string;
  /** What the code names: a container, a quota, a queue, a node; "": nothing, or it is not known. */
  by: string = "";
  /** The reason and the message of the object that says so; "": it has none. */
  reason: string = "";
  message: string = "";
  /** How many pods are held; 0: it is about the Job itself. */
  count: i32 = 0;
  /** The pod that has been held for the longest; "": it is about the Job itself. */
  pod: string = "";
  node: string = "";
  /** Its places in the two queues of Kueue, from 1 on; 0: not known. */
  placeInQueue: i64 = 0;
  placeInClusterQueue: i64 = 0;
  /** Wall clock, in milliseconds; NaN: not known. */
  sinceMs: f64 = NaN;

  constructor(code: string, by: string = "") {
    this.code = code;
    this.by = by;
  }

  /** Counts a pod that is held by the same. The one that is held for the longest gives the example. */
  add(pod: string, node: string, sinceMs: f64, message: string): void {
    ++this.count;
    if (this.count > 1 && !(sinceMs < this.sinceMs)) return;
    this.pod = pod;
    this.node = node;
    this.sinceMs = sinceMs;
    this.message = message;
  }
}
