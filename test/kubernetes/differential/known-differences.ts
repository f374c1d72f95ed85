/**
 * What our server answers otherwise than the real one, and why that stays so; docs/differences.md says what clients may
 * notice of it. Each is bound to the requests that it is about, and to what is seen of it, so that it hides nothing
 * else.
 */
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { withoutManagers } from "./comparable.ts";
import type { Difference } from "./play.ts";

export interface KnownDifference {
  readonly what: string;
  readonly why: string;
  readonly holds: (difference: Difference) => boolean;
  /** It depends on timing, so a run may not show it. */
  readonly dependsOnTiming?: true;
}

const YAML = "application/yaml";
const isRefused = ({ real, own }: Difference): boolean => real.status >= 400 && own.status >= 400;
const isRead = ({ real, own }: Difference): boolean => real.status === 200 && own.status === 200;
const isOf =
  (...kinds: readonly string[]) =>
  ({ sequence }: Difference): boolean =>
    kinds.some((kind) => sequence.includes(` ${kind}: `));
const sent = ({ ask }: Difference): string =>
  typeof ask.body === "string" ? ask.body : JSON.stringify(ask.body ?? "");
export const KNOWN: readonly KnownDifference[] = [
  {
    what: "the words for a body that is no YAML, or no object in YAML",
    why: "are those of another library",
    holds: (difference) => difference.ask.type === YAML && isRefused(difference),
  },
  {
    what: "how texts in YAML are quoted, and where long ones are folded",
    why: "another library writes it; what is read is the same",
    holds: ({ ask, real, own }) =>
      ask.accept === YAML &&
      real.headers["content-type"] === own.headers["content-type"] &&
      isDeepStrictEqual(parse(blank(real.body)), parse(blank(own.body))),
  },
  {
    what: "paths with escapes that are none, or with an escaped slash",
    why: "no name has them",
    holds: ({ ask }) => /%zz|a%2Fb$/.test(ask.path),
  },
  {
    what: "the paths /watch/, from before there was ?watch=1",
    why: "they are deprecated since 2017",
    holds: ({ ask }) => ask.path.includes("/watch/"),
  },
  {
    what: "the parameter export",
    why: "is ignored; it was removed in 1.21",
    holds: ({ ask }) => ask.path.includes("export=true"),
  },
  {
    what: "what is in a continue token, and why one cannot be read",
    why: "a token means something only to the server that made it",
    holds: ({ ask, real }) => ask.path.includes("continue=odd") || real.body.includes("'start':'"),
  },
  {
    what: "a body that begins with a byte order mark",
    why: "is read without it",
    holds: (difference) => sent(difference).startsWith("\ufeff"),
  },
  {
    what: "half of a surrogate pair in a text",
    why: "is shown as an escape, and not as the replacement character",
    holds: (difference) => sent(difference).includes("ud800"),
  },
  {
    what: "whole numbers that a double cannot hold",
    why: "are refused, also within the range of 64 bits",
    holds: (difference) =>
      /92233720368547\d{5}/.test(sent(difference) + difference.real.body) && difference.own.status >= 400,
  },
  {
    what: "the answer to the deletion of an empty collection, as PartialObjectMetadataList",
    why: "has items: [] and not null",
    holds: ({ real, own }) => real.body.replace('"items":null', '"items":[]') === own.body,
  },
  {
    what: "errors to a client that takes nothing but Tables, or no form that there is",
    why: "are indented or not by other rules",
    holds: ({ real, own }) =>
      real.status === own.status &&
      real.status >= 400 &&
      real.body !== own.body &&
      squeezed(real.body) === squeezed(own.body),
  },
  {
    what: "an apiVersion or a kind that is no text",
    why: "is complained about as any other field",
    holds: (difference) => isRefused(difference) && /"apiVersion":1\b/.test(sent(difference)),
  },
  {
    what: "the order in which several faults are reported",
    why: "each is reported; the order has no meaning",
    holds: (difference) =>
      isRefused(difference) && sortedFaults(difference.real.body) === sortedFaults(difference.own.body),
  },
  {
    what: "a Pod that goes at once",
    why: "has no event MODIFIED with its deletionTimestamp before DELETED",
    holds: (difference) =>
      isOf("Pod")(difference) && /watch/.test(difference.ask.path) && difference.real.status === 200,
  },
  {
    what: "an empty term of a field selector",
    why: "is refused",
    holds: ({ ask }) => ask.path.endsWith("fieldSelector=%3D"),
  },
  {
    what: "managedFields of what a strategy drops or adds",
    why: "name what is stored, and not what was sent",
    holds: ({ real, own }) =>
      real.status === own.status && real.body !== own.body && blank(real.body) === blank(own.body),
  },
  {
    what: "lists and reads of Events at versions",
    why: "have the rules of other kinds; upstream keeps no watch cache for Events, and reads them from etcd",
    holds: (difference) => isOf("Event")(difference) && /resourceVersion|watch=1/.test(difference.ask.path),
  },
  {
    what: "texts about faults of Events",
    why: "the same fields are named, with other words",
    holds: (difference) => isOf("Event")(difference) && isRefused(difference),
  },
  {
    what: "texts about a failed precondition of a Namespace, and the key of a Node in the store",
    why: "the first has a separate store upstream, and Nodes were once called minions",
    holds: (difference) =>
      isOf("Namespace", "Node")(difference) && difference.own.status === 409 && isRefused(difference),
  },
  {
    what: "Secrets of types with rules about their content",
    why: "only the keys that they need are checked, and those of basic-auth and service accounts are not",
    holds: (difference) =>
      isOf("Secret")(difference) && /kubernetes\.io\/(basic-auth|dockerc|service)/.test(sent(difference)),
  },
  {
    what: "a creation as a dry run that names a version",
    why: "is refused, or answered without it",
    holds: (difference) =>
      difference.ask.path.includes("dryRun=All") &&
      difference.ask.method !== "PATCH" &&
      sent(difference).includes("resourceVersion"),
  },
  {
    what: "rare rules: names of keys and finalizers, addresses of nodes' pods, a pod with gates and a node, a status of less than no pods",
    why: "a fault in them is accepted, or reported in part",
    holds: (difference) =>
      difference.real.status === 422 &&
      /"\.\.":"x"|x{250}|"finalizers":\["bad"|podCIDRs|schedulingGates|"active":-1|no base64|\?\?\?/.test(
        sent(difference),
      ),
  },
  {
    what: "containers of a pod that are replaced",
    why: "are reported as a change of the spec",
    holds: (difference) =>
      isOf("Pod")(difference) && isRefused(difference) && sent(difference).includes('"name":"other"'),
  },
  {
    what: "pods that are not counted yet, in the status of a Job that ends, and keys of the store in errors of a dry run",
    why: "are shown in another form",
    holds: ({ ask, real, own }) =>
      real.status === own.status &&
      real.status >= 400 &&
      (real.body.includes("must be empty for finished job") || (ask.path.includes("dryRun") && real.status === 409)),
  },
  {
    what: "PriorityClasses",
    why: "a separate admission plugin looks after them",
    holds: (difference) => sent(difference).includes("priorityClassName"),
  },
  {
    what: "a LimitRange without a name",
    why: "is refused, and does not get a random one",
    holds: (difference) =>
      isOf("LimitRange")(difference) && difference.real.status === 201 && difference.own.status === 422,
  },
  {
    what: "a generateName of a ReplicationController or a DeviceClass that makes no name",
    why: "the generateName is reported, too",
    holds: (difference) =>
      isOf("ReplicationController", "DeviceClass")(difference) && sent(difference).includes('"generateName":"Bad_"'),
  },
  {
    what: "DaemonSets in a Table",
    why: "have the annotation that counts changes of the template, which upstream keeps in a separate field",
    holds: (difference) =>
      isOf("DaemonSet")(difference) && (difference.ask.accept ?? "").includes("as=Table") && isRead(difference),
  },
  {
    what: "a strategic merge patch of what a ControllerRevision holds",
    why: "is answered as any other change of it, and not 500",
    holds: (difference) => isOf("ControllerRevision")(difference) && difference.real.status === 500,
  },
  {
    what: "tolerations of a RuntimeClass",
    why: "are not checked",
    holds: (difference) => isOf("RuntimeClass")(difference) && sent(difference).includes("tolerations"),
  },
  {
    what: "the status of a ResourceClaim or a DeviceTaintRule as a Table",
    why: "is one, and not refused",
    holds: (difference) =>
      isOf("ResourceClaim", "DeviceTaintRule")(difference) &&
      difference.ask.path.endsWith("/status") &&
      difference.real.status === 406,
  },
  {
    what: "an expression that cannot be compiled",
    why: "is reported in the words of another library",
    holds: (difference) => isRefused(difference) && difference.real.body.includes("compilation failed: ERROR:"),
  },
  {
    what: "a watch from the first version of all, when that is more than a minute ago",
    why: "shows what is remembered; the real server forgets after 75 s what does not fit into its cache",
    dependsOnTiming: true,
    holds: ({ ask, real, own }) =>
      ask.path.endsWith("&resourceVersion=1") &&
      real.body.includes('"message":"too old resource version: N (N)","reason":"Expired"') &&
      own.body.startsWith('{"type":"ADDED"'),
  },
  {
    what: "the last bookmark of a watch that ends within seconds",
    why: "does not come, because a watch of some seconds gets none but the first",
    dependsOnTiming: true,
    holds: ({ ask, real, own }) =>
      ask.path.includes("allowWatchBookmarks") && blank(real.body).startsWith(blank(own.body)),
  },
];

/** Without managers, versions and uids. */
function blank(body: string): string {
  return withoutManagers(body).replaceAll(/«[^»]*»/g, "");
}

function squeezed(body: string): string {
  return body.replaceAll(/\s/g, "");
}

/** The faults of an Invalid, each once, in alphabetical order. */
function sortedFaults(body: string): string {
  const causes = body.match(/\{"reason":"FieldValue.*?"field":"[^"]*"\}/g) ?? [body];
  return [...new Set(causes)].sort().join();
}
