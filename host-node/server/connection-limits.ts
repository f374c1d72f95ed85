/** The limits of connections and streams for a server of the in-memory cluster. */

export interface ConnectionLimits {
  /** Connections of clients that have sent a token. */
  readonly maxConnections: number;
  /** Connections of clients that have sent no token yet. */
  readonly maxStrangers: number;
  /**
   * Watches and followed logs at the same time. They are fewer than connections, so that other requests get through.
   */
  readonly maxStreams: number;
}

export const DEFAULT_WATCHES = 512;
/** The cluster allows 10,000, some of which its own components use. */
export const MAX_WATCHES = 9_000;
const STRANGERS = 128;
/** Connections for other requests than watches. */
const OTHER_CONNECTIONS = 128;

/** @param maxStreams watches and followed logs at the same time */
export function connectionLimitsFor(maxStreams: number): ConnectionLimits {
  return { maxConnections: maxStreams + OTHER_CONNECTIONS, maxStrangers: STRANGERS, maxStreams };
}
