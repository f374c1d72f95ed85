/** What a test asks for and cannot have: what was given, what is allowed, and what to do. */

/** The code is that of HTTP: 400 for what has no meaning, 404 for what is not there, 409 for what is not so now. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: 400 | 404 | 409;

  constructor(code: 400 | 404 | 409, message: string) {
    super(message);
    this.code = code;
  }
}
