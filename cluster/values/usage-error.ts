/**
 * A mistake of the user. The message names the given value, the allowed ones and the place. It needs no stack trace.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
