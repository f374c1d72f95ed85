/** An error of the user's, not of the program: its message says what was given, what is allowed and where, and needs no stack trace. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
