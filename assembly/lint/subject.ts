/** What rules look at: a Job with its defaults, and what the question says about related objects. */
import { defaultObject } from "../admission/default-fields";
import { decimal } from "../json/text";
import { ABSENT, ADDED, JsonNode, memberOf, stringOf } from "../json/tree";

/** The longest prefix of a generated name, before the five characters that the API server adds. */
export const GENERATED_PREFIX_MAX: i32 = 58;
/** What names of a quota begin with, before that of a resource. */
export const REQUESTS = "requests.";
export const LIMITS = "limits.";
const RANDOM_CHARS: i32 = 5;
/** A Job of a CronJob is called as that, with a dash and the minutes since 1970. */
const CRON_SUFFIX_CHARS: i32 = 9;

/** A Job and its surroundings. Objects that are missing are empty. */
export class Subject {
  metadata: JsonNode;
  spec: JsonNode;
  podSpec: JsonNode;
  context: JsonNode;
  /** The CronJob that the Job is made of. */
  cronJob: JsonNode | null;
  isIndexed: bool;
  parallelism: i64;
  /** ABSENT: it ends with the first success. */
  completions: i64;
  /** How many pods run at once at most. */
  podsAtOnce: i64;
  /** Milliseconds; NaN: there is none. */
  deadlineMs: f64;

  constructor(question: JsonNode) {
    const job = question.object("job")!;
    this.metadata = part(job, "metadata");
    const spec = part(job, "spec");
    const context = part(question, "context");
    this.spec = spec;
    this.podSpec = part(part(spec, "template"), "spec");
    this.context = context;
    this.cronJob = context.object("cronJob");
    this.isIndexed = spec.string("completionMode") == "Indexed";
    const parallelism = spec.integer("parallelism");
    const completions = spec.integer("completions");
    this.parallelism = parallelism;
    this.completions = completions;
    this.podsAtOnce = completions == ABSENT ? parallelism : min(parallelism, completions);
    this.deadlineMs = milliseconds(spec, "activeDeadlineSeconds");
  }

  /** Neither the Job nor its pods have a deadline. */
  get isWithoutDeadline(): bool {
    return isNaN(this.deadlineMs) && !this.podSpec.has("activeDeadlineSeconds");
  }

  /** The field that the name of the Job is made of; null: there is no name at all. */
  get nameNode(): JsonNode | null {
    const cronJob = this.cronJob;
    if (cronJob !== null) return memberOf(cronJob.object("metadata"), "name");
    return this.metadata.string("name").length > 0 ? this.metadata.get("name") : this.metadata.get("generateName");
  }

  /** How many characters the Job's name has, or will have; 0: there is none. */
  get nameLength(): i32 {
    const name = this.nameNode;
    if (name === null) return 0;
    const length = name.asString().length;
    if (this.cronJob !== null) return length + CRON_SUFFIX_CHARS;
    return name.key == "name" ? length : min(length, GENERATED_PREFIX_MAX) + RANDOM_CHARS;
  }

  /** How many digits the highest index has; 0: there are no indexes. */
  get indexDigits(): i32 {
    return this.isIndexed && this.completions > 0 ? decimal(this.completions - 1).length : 0;
  }

  /** A label of the Job, or an annotation (`kind`). */
  note(kind: string, name: string): string {
    return stringOf(this.metadata.object(kind), name);
  }
}

/** Whether the manifest sets the field, so that it is not a default. */
export function isGiven(node: JsonNode, key: string): bool {
  const member = node.get(key);
  return member !== null && member.change != ADDED;
}

/** A number of seconds in milliseconds; NaN: it is not there. */
export function milliseconds(node: JsonNode, key: string): f64 {
  const seconds = node.integer(key);
  return seconds == ABSENT ? NaN : f64(seconds) * 1000;
}

function part(node: JsonNode, name: string): JsonNode {
  const found = defaultObject(node, name);
  // The field has another type: the reader has recorded that, and the question is refused at the end.
  return found === null ? JsonNode.object() : found;
}
