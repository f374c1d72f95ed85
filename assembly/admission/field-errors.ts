/**
 * The errors that validation finds: which field, which kind, which sentence (docs/spec/api.md, conventions). Invariant:
 * errors are listed in the order in which they were found. An error that was found twice is in the text once, and
 * before Kubernetes 1.37 it is two causes. The Status around them is left to review.ts. Source:
 * k8s.io/apimachinery/pkg/util/validation/field.
 */
import { decimal, isListed, joined, StringSet, wordsOf } from "../json/text";
import { after, JsonNode } from "../json/tree";
import { behaves, CAUSES_ONCE } from "../model/kubernetes";
import { isEmpty } from "./pod-facts";
import { quote, quoteList, quoteWord } from "./render";

/** The most errors that are kept. Further ones are dropped, so that an answer stays much smaller than memory. */
export const MAX_FIELD_ERRORS: i32 = 256;

/** Replaces a value that the message does not show. */
export const OMITTED: string = "";

// The kinds of field errors. The first part is the reason of the cause; the second is how the message begins.
const REQUIRED = "FieldValueRequired,Required value";
const INVALID = "FieldValueInvalid,Invalid value";
const NOT_SUPPORTED = "FieldValueNotSupported,Unsupported value";
const FORBIDDEN = "FieldValueForbidden,Forbidden";
const DUPLICATE = "FieldValueDuplicate,Duplicate value";
const TOO_LONG = "FieldValueTooLong,Too long";
const TOO_MANY = "FieldValueTooMany,Too many";
const NOT_FOUND = "FieldValueNotFound,Not found";

/** One error: a cause of the Status. */
export class FieldError {
  reason: string;
  field: string;
  /** The cause's message. The line for people is `FIELD: MESSAGE`. */
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

/** The errors that were found in one object. */
export class FieldErrors {
  list: FieldError[] = [];
  get length(): i32 {
    return this.list.length;
  }

  /**
   * The next element of a list that is being validated. Null at its end, and once MAX_FIELD_ERRORS are kept: otherwise
   * validation would build a hundred thousand errors only to drop them.
   */
  after(element: JsonNode | null): JsonNode | null {
    return this.length >= MAX_FIELD_ERRORS ? null : after(element);
  }

  /** Notes that a required field is missing. With `detail` "" the kind says it all. */
  required(field: string, detail: string = ""): void {
    this.add(REQUIRED, field, OMITTED, detail);
  }

  /** Checks that the member, a string, is there and is not empty. */
  needs(node: JsonNode, key: string): void {
    if (node.string(key).length == 0) this.required(node.pathOf(key));
  }

  /** Notes an invalid value. `value` is rendered (render.ts), or OMITTED. */
  invalid(field: string, value: string, detail: string): void {
    this.add(INVALID, field, value, detail);
  }

  /** Checks that each of the members, strings or lists with commas between their names, is there and not empty. */
  needsAll(node: JsonNode, keys: string): void {
    const names = wordsOf(keys);
    for (let i = 0; i < names.length; i++) {
      if (isEmpty(node, names[i])) this.required(node.pathOf(names[i]));
    }
  }

  /** Checks that the member, a string of a named type, is one of `supported`, which commas separate. */
  oneOf(node: JsonNode, key: string, supported: string): void {
    const value = node.string(key);
    if (!isListed(value, supported)) this.wordNotSupported(node.pathOf(key), value, supported);
  }

  /** `oneOf`, where the member is there. */
  oneOfIfSet(node: JsonNode, key: string, supported: string): void {
    if (node.has(key)) this.oneOf(node, key, supported);
  }

  /** `oneOf`, where a missing or empty member is a Required error. */
  neededOneOf(node: JsonNode, key: string, supported: string): void {
    if (node.string(key).length == 0) this.required(node.pathOf(key));
    else this.oneOf(node, key, supported);
  }

  /** Notes a value that is not supported. `supported` has the words that are, separated by commas. */
  notSupported(field: string, value: string, supported: string): void {
    this.add(NOT_SUPPORTED, field, quote(value), "supported values: " + quoteList(wordsOf(supported)));
  }

  /** Checks a string of a named type, and reports it at `field`, which may differ from its own. */
  wordIsOneOf(field: string, value: string, supported: string): void {
    if (!isListed(value, supported)) this.wordNotSupported(field, value, supported);
  }

  /** Notes a string of a named type that is not supported. */
  wordNotSupported(field: string, value: string, supported: string): void {
    this.add(NOT_SUPPORTED, field, quoteWord(value), "supported values: " + quoteList(wordsOf(supported)));
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

  notFound(field: string, value: string, detail: string = ""): void {
    this.add(NOT_FOUND, field, value, detail);
  }

  /** Notes an Invalid for each message, as the name checks return them. */
  invalidEach(field: string, value: string, messages: string[]): void {
    for (let i = 0; i < messages.length; i++) this.invalid(field, quote(value), messages[i]);
  }

  /** The causes of the Status. */
  causes(): FieldError[] {
    return behaves(CAUSES_ONCE) ? this.once() : this.list;
  }

  /** All errors as one text: `single error`, or `[err1, err2]`. */
  text(): string {
    const errors = this.once();
    const lines = new Array<string>();
    for (let i = 0; i < errors.length; i++) lines.push(errors[i].line());
    return lines.length == 1 ? lines[0] : "[" + joined(lines, ", ") + "]";
  }

  private once(): FieldError[] {
    const seen = new StringSet();
    const errors = new Array<FieldError>();
    for (let i = 0; i < this.list.length; i++) {
      if (seen.add(this.list[i].line())) errors.push(this.list[i]);
    }
    return errors;
  }

  private add(kind: string, field: string, value: string, detail: string): void {
    if (this.length >= MAX_FIELD_ERRORS) return;
    const reasonAndStart = wordsOf(kind);
    let message = reasonAndStart[1];
    if (value.length > 0) message += ": " + value;
    if (detail.length > 0) message += ": " + detail;
    this.list.push(new FieldError(reasonAndStart[0], field, message));
  }
}

function count(n: i32, unit: string): string {
  return decimal(n) + " " + unit + (n == 1 ? "" : "s");
}
