/** What the server and its streams know of a cluster that is stored on disk. */

/** Reports when writes are on the disk; nothing goes out before that. */
export interface Durability {
  readonly isPending: boolean;
  /** Calls back when all writes so far are on the disk: at once if they are. In the order of the calls. */
  after(callback: () => void): void;
}
