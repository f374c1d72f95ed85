/** The error of a control call that cannot be carried out: what was given, what is allowed, and what to do. */

/** The code is an HTTP status: 400 for invalid input, 404 for missing objects, 409 for a wrong state. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: 400 | 404 | 409;

  constructor(code: 400 | 404 | 409, message: string) {
    super(message);
    this.code = code;
  }
}
