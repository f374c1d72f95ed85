/** The error of an engine, which the engine's interface and the parts below it throw. */

/**
 * The engine refused an input, or trapped. `code` is an ErrorCode, or -1 after a trap. Every later call throws the
 * same; discard the instance then, and list everything again.
 */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
