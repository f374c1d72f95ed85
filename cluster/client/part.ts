/** What a cluster starts and stops as one: a controller, the kubelet of a node, the scheduler. */
export interface Part {
  start(): void;
  stop(): void;
}
