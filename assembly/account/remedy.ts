/**
 * One thing to do for a Job: a sentence, a command of kubectl, and a patch where a manifest is at fault. The patch is a
 * strategic merge patch of the manifest that a user writes: of the Job, or of the CronJob that makes it.
 *
 * Invariant: what comes from outside is one quoted word of the command.
 */
import { ADDED, after, ARRAY, JsonNode, stringOf } from "../json/tree";
import { writeTree } from "../json/tree-text";
import { Writer } from "../json/writer";
import { ownerOf } from "./holds";

/** The file with the manifest, in commands. */
const FILE = "job.yaml";
const QUOTE = "'";
/** Characters of words that a shell takes as they are. */
const PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,@%+";

export class Remedy {
  /** The code of the hold or of the end that it is about. */
  code: string;
  sentence: string;
  command: string;
  /** Null: no manifest is at fault, as far as is known. */
  patch: JsonNode | null = null;
  /** The kind of the object that the patch is for: `Job`, `CronJob`, or another that is at fault. */
  kind: string = "";

  constructor(code: string, sentence: string, command: string) {
    this.code = code;
    this.sentence = sentence;
    this.command = command;
  }
}

/** `kubectl WORDS… -n NAMESPACE`. */
export function kubectl(words: string[], metadata: JsonNode | null): string {
  let command = "kubectl";
  for (let i = 0; i < words.length; i++) command += " " + shellWord(words[i]);
  const namespace = stringOf(metadata, "namespace");
  return namespace.length > 0 ? command + " -n " + shellWord(namespace) : command;
}

/**
 * A change of the spec of the Job. Of a Job that something else than a CronJob has made, the maker is to be changed,
 * and the command shows it.
 * @param isAllowed the API server takes this change of a Job that exists
 */
export function changeJob(code: string, sentence: string, job: JsonNode, spec: JsonNode, isAllowed: bool): Remedy {
  const metadata = job.object("metadata");
  const owner = ownerOf(metadata);
  const kind = stringOf(owner, "kind");
  const ofJob = wrapped("spec", spec);
  const patch = kind == "CronJob" ? wrapped("spec", wrapped("jobTemplate", ofJob)) : ofJob;
  const remedy = new Remedy(code, sentence, commandOf(patch, owner, metadata, isAllowed));
  remedy.patch = patch;
  remedy.kind = kind == "CronJob" ? kind : "Job";
  return remedy;
}

function commandOf(patch: JsonNode, owner: JsonNode | null, metadata: JsonNode | null, isAllowed: bool): string {
  const text = textOf(patch);
  if (owner !== null) {
    const kind = owner.string("kind").toLowerCase();
    const name = owner.string("name");
    if (kind == "cronjob") return kubectl(["patch", kind, name, "-p", text], metadata);
    return kubectl(["get", kind, name, "-o", "yaml"], metadata);
  }
  if (isAllowed) return kubectl(["patch", "job", stringOf(metadata, "name"), "-p", text], metadata);
  const change = kubectl(["patch", "--local", "-f", FILE, "-p", text, "-o", "yaml"], null);
  return change + " | " + kubectl(["replace", "--force", "-f", "-"], metadata);
}

/** A change of another object, by a merge patch. */
export function changeOther(code: string, sentence: string, object: string, patch: JsonNode, job: JsonNode): Remedy {
  const slash = object.indexOf("/");
  const kind = object.substring(0, slash);
  const words = ["patch", kind, object.substring(slash + 1), "--type", "merge", "-p", textOf(patch)];
  const remedy = new Remedy(code, sentence, kubectl(words, job.object("metadata")));
  remedy.patch = patch;
  remedy.kind = kind;
  return remedy;
}

/** An object with one member. */
export function wrapped(key: string, value: JsonNode): JsonNode {
  const object = JsonNode.object();
  object.attach(key, value);
  return object;
}

export function emptyList(): JsonNode {
  return new JsonNode(ARRAY);
}

/** A list with one item. */
export function listed(item: JsonNode): JsonNode {
  const list = emptyList();
  list.attach("", item);
  return list;
}

/** A copy of a part of the question without the defaults that were added to it. */
export function asGiven(node: JsonNode): JsonNode {
  const copy = new JsonNode(node.kind, node.text);
  for (let child = node.first; child !== null; child = after(child)) {
    if (child.change != ADDED) copy.attach(child.key, asGiven(child));
  }
  return copy;
}

/** A change of the spec of the pods. */
export function ofPods(podSpec: JsonNode): JsonNode {
  return wrapped("template", wrapped("spec", podSpec));
}

/** A change of one member of a container, which is named. */
export function ofContainer(isInit: bool, name: string, key: string, value: JsonNode): JsonNode {
  const container = wrapped("name", JsonNode.string(name));
  container.attach(key, value);
  return ofPods(wrapped(isInit ? "initContainers" : "containers", listed(container)));
}

function textOf(node: JsonNode): string {
  const writer = new Writer(256);
  writeTree(node, writer);
  return String.UTF8.decodeUnsafe(writer.start, writer.length);
}

// The text as one word of a shell.
function shellWord(value: string): string {
  let isPlain = value.length > 0;
  for (let i = 0; i < value.length && isPlain; i++) isPlain = PLAIN.includes(value.charAt(i));
  return isPlain ? value : QUOTE + value.replaceAll(QUOTE, "'\\''") + QUOTE;
}
