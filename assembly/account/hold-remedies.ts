/** What to do about each thing that holds a Job. Null: there is nothing that would help, or it goes on without help. */
import { after, firstOf, JsonNode, listOf, NULL, objectOf, stringOf } from "../json/tree";
import { containerNamed } from "./containers";
import { DEFAULT_SCHEDULER } from "./held-pods";
import { isSidecar } from "../lint/template";
import { avoidNode } from "./end-remedies";
import { Hold } from "./hold";
import { Held, wordAfter } from "./holds";
import {
  asGiven,
  changeJob,
  changeOther,
  emptyList,
  kubectl,
  listed,
  ofContainer,
  ofPods,
  Remedy,
  wrapped,
} from "./remedy";

/** What Pod Security forbids that no further field makes good: the manifest asks for it. */
const NOT_ADDED: StaticArray<string> = [
  "host",
  "privileged=",
  "non-default capabilities",
  "capabilities.add",
  "runAsUser=0",
  "runAsNonRoot=false",
  "Unconfined",
  "sysctls",
  "volume types",
  "procMount",
  "seLinuxOptions",
  "appArmor",
  "probe",
];

const CLUSTER_TAINTS: StaticArray<string> = [
  "kubernetes.io/",
  "ToBeDeletedBy",
  "DeletionCandidateOf",
  "karpenter.sh/",
  "node.cilium.io/",
];

export function remedyOfHold(hold: Hold, held: Held): Remedy | null {
  const code = hold.code;
  if (code == "Suspended") return resume(hold, held);
  if (code == "ParallelismIsZero") return patchJob(hold, held, "let it have pods", '{"spec":{"parallelism":1}}');
  if (code == "NoController") return withController(hold, held);
  if (code == "CreationRefused") return acceptPods(hold, held);
  if (code == "CannotStart") return letStart(hold, held);
  if (code == "CrashLoopBackOff")
    return look(hold, held, "read what container " + hold.by + " printed last", ["logs", hold.pod, "-c", hold.by]);
  if (code == "Unschedulable") return makeRoom(hold, held);
  if (code == "NoScheduler") return withScheduler(hold, held);
  if (code == "GangUnscheduled") return look(hold, held, "see what the group needs", ["describe", "podgroup", hold.by]);
  if (code == "SchedulingGated")
    return look(hold, held, "see which controller has to remove the gates", describePod(hold));
  if (code == "KeptByContainer") return stopHelper(hold, held);
  if (code == "Terminating") return endPod(hold, held);
  if (code == "NodeRejects") return avoidNode(code, hold.by, hold.reason);
  if (code == "NoPods") return look(hold, held, "read the Events of the Job", describeJob(held));
  return null;
}

function look(hold: Hold, held: Held, sentence: string, words: string[]): Remedy {
  return new Remedy(hold.code, sentence, kubectl(words, held.metadata));
}

function describePod(hold: Hold): string[] {
  return ["describe", "pod", hold.pod];
}

function describeJob(held: Held): string[] {
  return ["describe", "job", stringOf(held.metadata, "name")];
}

// A change of the Job that exists, and not of what made it.
function patchJob(hold: Hold, held: Held, sentence: string, patch: string): Remedy {
  return look(hold, held, sentence, ["patch", "job", stringOf(held.metadata, "name"), "-p", patch]);
}

function resume(hold: Hold, held: Held): Remedy {
  if (hold.reason == "Kueue")
    return look(hold, held, "see why Kueue does not admit its Workload", ["describe", "workloads.kueue.x-k8s.io"]);
  if (hold.reason == "JobSet") {
    const patch = wrapped("spec", wrapped("suspend", JsonNode.boolean(false)));
    return changeOther(hold.code, "resume the JobSet", "jobset/" + hold.by, patch, held.job);
  }
  return patchJob(hold, held, "resume the Job", '{"spec":{"suspend":false}}');
}

function withController(hold: Hold, held: Held): Remedy {
  if (hold.by.length == 0)
    return new Remedy(hold.code, "see whether kube-controller-manager runs", "kubectl get pods -n kube-system");
  const sentence = "start the controller " + hold.by + ", or create the Job again without spec.managedBy";
  return changeJob(hold.code, sentence, held.job, wrapped("managedBy", new JsonNode(NULL, "null")), false);
}

function acceptPods(hold: Hold, held: Held): Remedy {
  const by = hold.by;
  if (hold.reason == "PodSecurity") return secure(hold, held);
  if (by.length == 0) return look(hold, held, "change what the message names", describeJob(held));
  if (hold.reason == "Quota" && hold.message.includes("must specify"))
    return look(hold, held, "set the resources that quota " + by + " demands", ["describe", "resourcequota", by]);
  if (hold.reason == "Quota") return raiseQuota(hold, held);
  if (hold.reason == "Webhook") {
    const words = ["get", "validatingwebhookconfigurations,mutatingwebhookconfigurations"];
    return new Remedy(hold.code, "change what webhook " + by + " refuses, or repair it", kubectl(words, null));
  }
  if (hold.reason == "ServiceAccount")
    return look(hold, held, "create the service account", ["create", "serviceaccount", by]);
  return new Remedy(
    hold.code,
    "create PriorityClass " + by + ", or name one that exists in priorityClassName",
    "kubectl get priorityclasses",
  );
}

// With a quota of one resource that counts whole numbers, the number that lets one more pod in.
function raiseQuota(hold: Hold, held: Held): Remedy {
  const message = hold.message;
  const requested = wordAfter(message, "requested: ");
  const equals = requested.indexOf("=");
  const resource = equals < 0 ? "" : requested.substring(0, equals);
  const wanted = wholeNumber(requested.substring(equals + 1));
  const used = wholeNumber(wordAfter(message, "used: " + resource + "="));
  const isOnly = message.includes("requested: " + requested + ", used: ");
  if (!isOnly || resource.length == 0 || wanted < 0 || used < 0)
    return look(hold, held, "raise quota " + hold.by + ", or free what uses it", [
      "describe",
      "resourcequota",
      hold.by,
    ]);
  const hard = wrapped(resource, JsonNode.string((used + wanted).toString()));
  const patch = wrapped("spec", wrapped("hard", hard));
  return changeOther(
    hold.code,
    "raise quota " + hold.by + ", so that one more pod fits",
    "resourcequota/" + hold.by,
    patch,
    held.job,
  );
}

// What the level `restricted` of Pod Security asks of pods.
function secure(hold: Hold, held: Held): Remedy {
  for (let i = 0; i < NOT_ADDED.length; i++) {
    if (hold.message.includes(NOT_ADDED[i]))
      return look(hold, held, "change what the message names", describeJob(held));
  }
  const ofPod = wrapped("runAsNonRoot", JsonNode.boolean(true));
  ofPod.attach("seccompProfile", wrapped("type", JsonNode.string("RuntimeDefault")));
  const podSpec = wrapped("securityContext", ofPod);
  const lists: StaticArray<string> = ["initContainers", "containers"];
  for (let i = 0; i < lists.length; i++) {
    const containers = listOf(podSpecOf(held), lists[i]);
    if (containers === null || containers.length == 0) continue;
    const changed = emptyList();
    for (let one = containers.first; one !== null; one = after(one)) {
      const container = wrapped("name", JsonNode.string(one.string("name")));
      const context = wrapped("allowPrivilegeEscalation", JsonNode.boolean(false));
      context.attach("capabilities", wrapped("drop", listed(JsonNode.string("ALL"))));
      container.attach("securityContext", context);
      changed.attach("", container);
    }
    podSpec.attach(lists[i], changed);
  }
  const sentence = "give the pods the securityContext that the namespace demands";
  return changeJob(hold.code, sentence, held.job, ofPods(podSpec), false);
}

function letStart(hold: Hold, held: Held): Remedy {
  const message = hold.message;
  const missing = missingObject(message);
  if (missing.length > 0) {
    const slash = missing.indexOf("/");
    const kind = missing.substring(0, slash);
    const name = missing.substring(slash + 1);
    const words = kind == "configmap" ? ["create", kind, name] : ["create", kind, "generic", name];
    words.push("--from-file");
    words.push("FILE");
    return look(hold, held, "create the missing " + kind + " " + name, words);
  }
  if (message.includes("couldn't find key ")) {
    const key = wordAfter(message, "couldn't find key ");
    return look(
      hold,
      held,
      "add the key " + key + " to the object that the message names, or correct the key",
      describePod(hold),
    );
  }
  if (hold.reason == "ErrImageNeverPull") {
    const policy = JsonNode.string("IfNotPresent");
    const change = ofContainer(isInit(hold, held), hold.by, "imagePullPolicy", policy);
    return changeJob(hold.code, "let the kubelet pull the image", held.job, change, false);
  }
  const image = imageOf(hold, held);
  if (hold.reason.includes("Image") || hold.reason.includes("Pull"))
    return look(
      hold,
      held,
      "correct the image " + image + " of container " + hold.by + ", or the imagePullSecrets",
      describePod(hold),
    );
  if (message.includes("non-numeric user"))
    return look(hold, held, "name the numeric ID of the user of the image in runAsUser", describePod(hold));
  if (message.includes("runAsNonRoot")) {
    const user = wrapped("runAsUser", JsonNode.integer(65534));
    const change = ofContainer(isInit(hold, held), hold.by, "securityContext", user);
    return changeJob(hold.code, "name a user other than root", held.job, change, false);
  }
  return look(hold, held, "change what the message names", describePod(hold));
}

// `configmap/NAME` or `secret/NAME` that a message misses; "": none.
function missingObject(message: string): string {
  if (!message.includes(" not found")) return "";
  const configMap = wordAfter(message, 'configmap "');
  // kube-controller-manager publishes this one.
  if (configMap == "kube-root-ca.crt") return "";
  if (configMap.length > 0) return "configmap/" + configMap;
  const secret = wordAfter(message, 'secret "');
  return secret.length > 0 ? "secret/" + secret : "";
}

function makeRoom(hold: Hold, held: Held): Remedy {
  const message = hold.message;
  if (message.includes("untolerated taint")) return tolerate(hold, held);
  const word = wordAfter(message, "Insufficient ");
  // The last reason ends with a full stop, and names of resources have such themselves.
  const resource = word.endsWith(".") ? word.substring(0, word.length - 1) : word;
  if (resource.length > 0)
    return new Remedy(hold.code, "request less " + resource + ", or add a node with more", "kubectl describe nodes");
  if (message.includes("were unschedulable"))
    return new Remedy(hold.code, "uncordon a node, or add one", "kubectl get nodes");
  const claim = wordAfter(message, 'persistentvolumeclaim "');
  if (claim.length > 0 && message.includes('"' + claim + '" not found'))
    return look(hold, held, "create the PersistentVolumeClaim " + claim, ["get", "persistentvolumeclaims"]);
  if (message.includes("node affinity/selector"))
    return new Remedy(
      hold.code,
      "give a node the labels that the pods ask for, or change what they ask",
      "kubectl get nodes --show-labels",
    );
  return look(hold, held, "read why the scheduler finds no node", describePod(hold));
}

// A toleration, if one taint alone keeps the pods away, and it is not one that the cluster itself sets.
function tolerate(hold: Hold, held: Held): Remedy {
  const message = hold.message;
  const colon = message.indexOf(": ");
  const end = message.indexOf("}", colon);
  const isOnly =
    end > 0 && message.indexOf(", ", colon) < 0 && (end + 1 == message.length || message.charAt(end + 1) == ".");
  const key = wordAfter(message, "taint {");
  if (!isOnly || key.length == 0 || isOfCluster(key)) {
    const columns = "custom-columns=NAME:.metadata.name,TAINTS:.spec.taints";
    const words = ["get", "nodes", "-o", columns];
    return new Remedy(hold.code, "tolerate a taint of the nodes, or add a node", kubectl(words, null));
  }
  const toleration = wrapped("key", JsonNode.string(key));
  toleration.attach("operator", JsonNode.string("Exists"));
  const tolerations = emptyList();
  const own = listOf(podSpecOf(held), "tolerations");
  for (let one = firstOf(own); one !== null; one = after(one)) tolerations.attach("", asGiven(one));
  tolerations.attach("", toleration);
  const sentence = "let the pods run on nodes with the taint " + key;
  return changeJob(hold.code, sentence, held.job, ofPods(wrapped("tolerations", tolerations)), false);
}

// Taints of nodes that are not ready, being drained or about to go.
function isOfCluster(key: string): bool {
  for (let i = 0; i < CLUSTER_TAINTS.length; i++) if (key.includes(CLUSTER_TAINTS[i])) return true;
  return false;
}

function withScheduler(hold: Hold, held: Held): Remedy {
  if (hold.by == DEFAULT_SCHEDULER)
    return new Remedy(hold.code, "see whether kube-scheduler runs", "kubectl get pods -n kube-system");
  const none = ofPods(wrapped("schedulerName", new JsonNode(NULL, "null")));
  const sentence = "start scheduler " + hold.by + ", or create the Job again without schedulerName";
  return changeJob(hold.code, sentence, held.job, none, false);
}

// A helper belongs into initContainers with restartPolicy Always: there the kubelet stops it when the work is over.
function stopHelper(hold: Hold, held: Held): Remedy | null {
  const name = hold.by;
  const template = containerNamed(listOf(podSpecOf(held), "containers"), name);
  const isForever = hold.reason.length > 0;
  // Perhaps it does the work.
  if (!isForever && (template === null || !isSidecar(template)))
    return look(hold, held, "see what container " + name + " still does", describePod(hold));
  if (template === null)
    return look(hold, held, "let " + name + " end with the work of the pod, or delete the pod", [
      "delete",
      "pod",
      hold.pod,
    ]);
  const helper = asGiven(template);
  helper.set("restartPolicy", JsonNode.string("Always"));
  const dropped = wrapped("name", JsonNode.string(name));
  dropped.attach("$patch", JsonNode.string("delete"));
  const podSpec = wrapped("initContainers", listed(helper));
  podSpec.attach("containers", listed(dropped));
  const sentence = "make container " + name + " a sidecar, which the kubelet stops when the others have ended";
  return changeJob(hold.code, sentence, held.job, ofPods(podSpec), false);
}

function endPod(hold: Hold, held: Held): Remedy | null {
  if (hold.reason == "Finalizer" || hold.reason == "Kept")
    return look(hold, held, "see why the finalizer " + hold.by + " is not removed", describePod(hold));
  if (hold.reason != "Overdue") return null;
  if (hold.node.length == 0)
    return look(hold, held, "remove the pod", ["delete", "pod", hold.pod, "--force", "--grace-period=0"]);
  const taint = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";
  const sentence = "once node " + hold.node + " is certainly down, say so";
  return new Remedy(hold.code, sentence, kubectl(["taint", "node", hold.node, taint], null));
}

function podSpecOf(held: Held): JsonNode | null {
  return objectOf(objectOf(held.spec, "template"), "spec");
}

function isInit(hold: Hold, held: Held): bool {
  return containerNamed(listOf(podSpecOf(held), "initContainers"), hold.by) !== null;
}

// The image of the container that is held; "": not known.
function imageOf(hold: Hold, held: Held): string {
  const list = listOf(podSpecOf(held), isInit(hold, held) ? "initContainers" : "containers");
  return stringOf(containerNamed(list, hold.by), "image");
}

// -1: it is no whole number.
function wholeNumber(text: string): i64 {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 48 || text.charCodeAt(i) > 57) return -1;
  return text.length == 0 || text.length > 9 ? -1 : I64.parseInt(text);
}
