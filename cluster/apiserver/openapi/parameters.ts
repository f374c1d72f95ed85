/** The parameters of operations, and what each does. Leaves out those that this server does not read. */
import type { Schema } from "./schemas.ts";

type Place = "path" | "query";

const parameters: Readonly<Record<string, readonly [type: "string" | "integer" | "boolean", description: string]>> = {
  allowWatchBookmarks: ["boolean", "The watch sends a BOOKMARK now and then, with the resourceVersion it has reached."],
  command: ["string", "The command to run, a parameter for each of its words."],
  container: ["string", "The container, if the pod has several."],
  continue: ["string", "Where the list continues: metadata.continue of the previous page."],
  dryRun: ["string", "With All, everything is checked and answered, and nothing is stored."],
  fieldManager: ["string", "Who makes the change, in managedFields. Apply needs it."],
  fieldSelector: ["string", "Only objects with these values in these fields."],
  fieldValidation: ["string", "What becomes of unknown and duplicate fields: Ignore, Warn (the default) or Strict."],
  follow: ["boolean", "The answer continues while the container writes."],
  force: ["boolean", "Takes fields from their managers. Only apply may have it."],
  gracePeriodSeconds: ["integer", "How long the object may take to end, in seconds; 0 deletes it at once."],
  labelSelector: ["string", "Only objects with such labels."],
  limit: ["integer", "The list has at most so many objects, and its metadata.continue names the next page."],
  limitBytes: ["integer", "The answer has at most so many bytes."],
  name: ["string", "The name of the object."],
  namespace: ["string", "The namespace of the object, such as default."],
  orphanDependents: ["boolean", "The older form of propagationPolicy: true is Orphan. Only one of them may be set."],
  ports: ["integer", "The port to forward to."],
  pretty: ["string", "With true, the answer is indented. The default for curl, wget and browsers."],
  previous: ["boolean", "The log of the container before its last restart."],
  propagationPolicy: ["string", "What becomes of dependents: Orphan, Background or Foreground."],
  resourceVersion: ["string", "From which version on the answer may be."],
  resourceVersionMatch: ["string", "How resourceVersion counts for a list: NotOlderThan or Exact."],
  sendInitialEvents: ["boolean", "The watch begins with all objects that there are, and a bookmark after them."],
  sinceSeconds: ["integer", "Only lines of the last so many seconds."],
  sinceTime: ["string", "Only lines from this time on, in RFC 3339."],
  stderr: ["boolean", "Passes on what the command writes to its standard error."],
  stdin: ["boolean", "The command has a standard input."],
  stdout: ["boolean", "Passes on what the command writes to its standard output."],
  stream: ["string", "Which output: All, Stdout or Stderr."],
  tailLines: ["integer", "Only so many lines from the end."],
  timeoutSeconds: ["integer", "The watch ends after so many seconds."],
  timestamps: ["boolean", "Each line begins with its time."],
  tty: ["boolean", "The command has a terminal."],
  watch: ["boolean", "Changes from now on, one a line, and not a list."],
};

/** A reference to a parameter. @throws Error if there is none of this name */
export function parameter(name: string, place: Place = "query"): Schema {
  const known = parameters[name];
  if (!known) throw new Error(`cluster/apiserver/openapi/parameters.ts has no parameter "${name}": add it`);
  const [type, description] = known;
  return {
    name,
    in: place,
    description,
    ...(place === "path" && { required: true }),
    schema: { type, uniqueItems: true },
  };
}

const writing = ["dryRun", "fieldManager", "fieldValidation"];
const choosing = ["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch"];
const deleting = ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"];

/** The parameters of each verb beyond those of its path. */
export const parametersOf = {
  create: writing,
  update: writing,
  patch: [...writing, "force"],
  get: [],
  list: [...choosing, "allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds", "watch"].toSorted(),
  delete: deleting,
  deletecollection: [...choosing, ...deleting, "sendInitialEvents", "timeoutSeconds"].toSorted(),
  log: [
    "container",
    "follow",
    "limitBytes",
    "previous",
    "sinceSeconds",
    "sinceTime",
    "stream",
    "tailLines",
    "timestamps",
  ],
  exec: ["command", "container", "stderr", "stdin", "stdout", "tty"],
  attach: ["container", "stderr", "stdin", "stdout", "tty"],
  portforward: ["ports"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
