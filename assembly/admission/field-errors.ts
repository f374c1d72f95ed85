/**
 * The errors that validation finds: which field, which kind, which sentence (docs/spec/api.md, conventions).
 * Invariant: an error is listed once, however often validation comes across it, and in the order in which it was found.
 * Leaves out the Status around them: review.ts.
 * Source: k8s.io/apimachinery/pkg/util/validation/field.
 */
import { decimal, StringSet } from "../json/text";
import { quote, quoteList } from "./render";

/** Errors that are kept; what follows is dropped, so that an answer stays much smaller than memory. */
export const MAX_FIELD_ERRORS: i32 = 256;

/** In place of a value that the message does not show. */
export const OMITTED: string = "";

/** One kind of field error. */
class ErrorKind {
  /** The reason of the cause. */
  reason: string;
  /** How the message starts. */
  prefix: string;

  constructor(reason: string, prefix: string) {
    this.reason = reason;
    this.prefix = prefix;
  }
}

const REQUIRED = new ErrorKind("FieldValueRequired", "Required value");
const INVALID = new ErrorKind("FieldValueInvalid", "Invalid value");
const NOT_SUPPORTED = new ErrorKind("FieldValueNotSupported", "Unsupported value");
const FORBIDDEN = new ErrorKind("FieldValueForbidden", "Forbidden");
const DUPLICATE = new ErrorKind("FieldValueDuplicate", "Duplicate value");
const TOO_LONG = new ErrorKind("FieldValueTooLong", "Too long");
const TOO_MANY = new ErrorKind("FieldValueTooMany", "Too many");
const NOT_FOUND = new ErrorKind("FieldValueNotFound", "Not found");

/** One error: a cause of the Status. */
export class FieldError {
  reason: string;
  field: string;
  /** The cause's message; the line for people is `FIELD: MESSAGE`. */
  message: string;

  constructor(reason: string, field: string, message: string) {
    this.reason = reason;
    this.field = field;
    this.message = message;
  }

  line(): string {
    return this.field + ": " + this.message;
  }
}

export class FieldErrors {
  list: FieldError[] = [];
  private seen: StringSet = new StringSet();

  get length(): i32 {
    return this.list.length;
  }

  /** `detail` "": the kind says it all. */
  required(field: string, detail: string = ""): void {
    this.add(REQUIRED, field, OMITTED, detail);
  }

  /** `value` is rendered (render.ts), or OMITTED. */
  invalid(field: string, value: string, detail: string): void {
    this.add(INVALID, field, value, detail);
  }

  notSupported(field: string, value: string, supported: string[]): void {
    this.add(NOT_SUPPORTED, field, quote(value), "supported values: " + quoteList(supported));
  }

  forbidden(field: string, detail: string): void {
    this.add(FORBIDDEN, field, OMITTED, detail);
  }

  duplicate(field: string, value: string): void {
    this.add(DUPLICATE, field, value, "");
  }

  tooLong(field: string, maxBytes: i32): void {
    this.add(TOO_LONG, field, OMITTED, "may not be more than " + count(maxBytes, "byte"));
  }

  tooMany(field: string, actual: i32, maxItems: i32): void {
    this.add(TOO_MANY, field, decimal(actual), "must have at most " + count(maxItems, "item"));
  }

  notFound(field: string, value: string): void {
    this.add(NOT_FOUND, field, value, "");
  }

  /** An Invalid for each of the messages, as the name checks return them. */
  invalidEach(field: string, value: string, messages: string[]): void {
    for (let i = 0; i < messages.length; i++) this.invalid(field, quote(value), messages[i]);
  }

  /** `single error`, or `[err1, err2]`. */
  text(): string {
    const lines = new Array<string>();
    for (let i = 0; i < this.list.length; i++) lines.push(this.list[i].line());
    return lines.length == 1 ? lines[0] : "[" + lines.join(", ") + "]";
  }

  private add(kind: ErrorKind, field: string, value: string, detail: string): void {
    if (this.list.length >= MAX_FIELD_ERRORS) return;
    let message = kind.prefix;
    if (value.length > 0) message += ": " + value;
    if (detail.length > 0) message += ": " + detail;
    const error = new FieldError(kind.reason, field, message);
    const line = error.line();
    if (this.seen.add(line)) this.list.push(error);
  }
}

function count(n: i32, unit: string): string {
  return decimal(n) + " " + unit + (n == 1 ? "" : "s");
}
