/**
 * What people type into kubectl, a session at a time. Each has a separate namespace, which `-n` names. A step is the
 * command without `kubectl`; with a manifest it goes into standard input.
 */
import type { JsonObject } from "../../../cluster/index.ts";

export interface Step {
  readonly command: string;
  /** Objects, which become a stream of documents; or a text. `last`: what the command before has written. */
  readonly input?: readonly JsonObject[] | string;
  /** What `edit` does to the file, as sed says it. */
  readonly edit?: string;
}

const configMap = (name: string, data: JsonObject, labels: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
  data,
});
const template = (container: JsonObject = {}): JsonObject => ({
  spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", ...container }] },
});
const job = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, ...metadata },
  spec: { template: template(), ...spec },
});
const cronJob = (name: string): JsonObject => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name },
  spec: { schedule: "0 3 * * *", jobTemplate: { spec: { template: template() } } },
});
const list = (...items: JsonObject[]): JsonObject => ({ apiVersion: "v1", kind: "List", items });

export const sessions: Readonly<Record<string, readonly Step[]>> = {
  "a list goes in, comes out, and goes in again": [
    { command: "create -f -", input: [list(configMap("a", { k: "1" }, { in: "list" }), job("j", {}, {}))] },
    { command: "get configmap,job -l in=list -o yaml" },
    { command: "get configmap -l in=list -o json" },
    { command: "apply -f -", input: "last" },
    { command: "replace -f -", input: [list(configMap("a", { k: "2" }, { in: "list" }))] },
    { command: "get -f - -o name", input: [list(configMap("a", {}), job("j"))] },
    { command: "delete -f -", input: [list(configMap("a", {}), job("j"))] },
  ],
  "fields that there are not, strictly": [
    {
      command: "create --validate=strict -f -",
      input: [job("a", { paralelism: 2, template: template({ imag: "x" }) })],
    },
    {
      command: "create --validate=true -f -",
      input: [configMap("a", {}, {}), { ...configMap("b", {}), dta: { a: "b" } }],
    },
    { command: "create -f -", input: [{ ...job("a"), sepc: {} }] },
    {
      command: "create -f -",
      input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata: {a: x}\ndata: {b: y}\n",
    },
  ],
  "fields that there are not, with warnings and ignored": [
    { command: "create --validate=warn -f -", input: [job("a", { paralelism: 2 })] },
    { command: "create --validate=ignore -f -", input: [job("b", { paralelism: 2 })] },
    { command: "create --validate=false -f -", input: [{ ...configMap("c", {}), dta: { a: "b" } }] },
    { command: "apply --validate=warn -f -", input: [job("d", { paralelism: 2 })] },
    { command: "apply --server-side --validate=strict -f -", input: [job("e", { paralelism: 2 })] },
    { command: "create --validate=nonsense -f -", input: [job("f")] },
  ],
  "kinds, versions and values that do not fit": [
    { command: "create -f -", input: [{ ...job("a"), kind: "Jobb" }] },
    { command: "create -f -", input: [{ ...job("a"), apiVersion: "batch/v9" }] },
    { command: "create -f -", input: [{ ...job("a"), apiVersion: "nothing.example/v1" }] },
    { command: "create -f -", input: [{ metadata: { name: "a" } }] },
    { command: "create -f -", input: [job("a", { parallelism: "two" })] },
    { command: "create -f -", input: [job("a", { parallelism: -1, completionMode: "Sideways" })] },
    { command: "create -f -", input: [job("A")] },
    { command: "create -f -", input: [configMap("a", { key: 5 })] },
    { command: "create -f -", input: "{not yaml" },
    { command: "create -f -", input: "" },
  ],
  "applies, with what would change": [
    { command: "diff -f -", input: [configMap("a", { k: "1" })] },
    { command: "apply -f -", input: [configMap("a", { k: "1", l: "1" }), job("j", { parallelism: 2 })] },
    { command: "apply -f -", input: [configMap("a", { k: "1", l: "1" }), job("j", { parallelism: 2 })] },
    { command: "diff -f -", input: [configMap("a", { k: "1", l: "1" })] },
    { command: "diff -f -", input: [configMap("a", { k: "2" })] },
    { command: "diff --server-side -f -", input: [configMap("b", { k: "2" })] },
    { command: "apply -f -", input: [configMap("a", { k: "2" }), job("j", { parallelism: 3 })] },
    { command: "apply view-last-applied configmap/a" },
    { command: "apply -f - -o yaml", input: [configMap("a", { k: "3" })] },
    { command: "apply -f - --dry-run=server", input: [configMap("a", { k: "4" }), configMap("b", {})] },
    { command: "apply -f - --dry-run=client", input: [configMap("a", { k: "4" })] },
    { command: "apply -f -", input: [job("j", { parallelism: 3, completionMode: "Indexed", completions: 2 })] },
    { command: "get configmap a -o jsonpath={.data}" },
  ],
  "prunes": [
    { command: "apply -l app=p -f -", input: [configMap("a", {}, { app: "p" }), configMap("b", {}, { app: "p" })] },
    {
      command: "apply --prune -l app=p --prune-allowlist=core/v1/ConfigMap -f -",
      input: [configMap("a", {}, { app: "p" })],
    },
    { command: "get configmap -l app=p -o name" },
  ],
  "edits": [
    { command: "create -f -", input: [job("j", { suspend: true }), configMap("a", { k: "before" })] },
    { command: "edit configmap/a", edit: "s/before/after/" },
    { command: "get configmap a -o jsonpath={.data.k}" },
    { command: "edit configmap/a", edit: "s/nothing/at all/" },
    { command: "edit job/j", edit: "s/suspend: true/suspend: false/" },
    { command: "get job j -o jsonpath={.spec.suspend}" },
  ],
  "labels and annotations": [
    { command: "create -f -", input: [configMap("a", {}), configMap("b", {})] },
    { command: "label configmap a team=red" },
    { command: "label configmap a team=blue" },
    { command: "label configmap a team=blue --overwrite" },
    { command: "label configmap --all tier=back" },
    { command: "label configmap a team-" },
    { command: "label configmap a bad/key/here=x" },
    { command: "label configmap none x=y" },
    { command: "annotate configmap a note=here" },
    { command: "annotate configmap a note=there" },
    { command: "annotate configmap a note-" },
    { command: "label configmap a --list" },
    { command: "get configmap --show-labels" },
    { command: "get configmap -L tier,team" },
  ],
  "what cannot be scaled or rolled out": [
    { command: "create -f -", input: [job("j", { suspend: true }), cronJob("c")] },
    { command: "scale --replicas=2 job/j" },
    { command: "scale --replicas=2 cronjob/c" },
    { command: "rollout status job/j" },
    { command: "rollout history job/j" },
    { command: "rollout restart job/j" },
    { command: "rollout undo cronjob/c" },
    { command: "autoscale job/j --max=3" },
    { command: "expose job j --port=80" },
    { command: "set image job/j main=other" },
    { command: "set image cronjob/c main=other" },
    { command: "set env cronjob/c A=b" },
    { command: "set resources cronjob/c --limits=cpu=1" },
  ],
  "gets in all forms": [
    {
      command: "create -f -",
      input: [configMap("b", { k: "1" }, { x: "y" }), configMap("a", {}), job("j", { suspend: true }), cronJob("c")],
    },
    { command: "get all" },
    { command: "get configmap --chunk-size=1 -o name" },
    { command: "get configmap -o custom-columns=N:.metadata.name,K:.data.k" },
    { command: "get configmap --sort-by=.metadata.name --no-headers" },
    { command: "get configmap -o go-template={{range.items}}{{.metadata.name}};{{end}}" },
    { command: "get configmap --field-selector=metadata.name=a -o name" },
    { command: "get configmap --field-selector=data.k=1" },
    { command: "get job,cronjob -o wide" },
    { command: "get job --field-selector=status.successful=0 -o name" },
    { command: "get job j -o yaml --show-managed-fields" },
    { command: "get cm b -o json" },
    { command: "get job none" },
    { command: "get nothing" },
    { command: "get secrets" },
    { command: "get job none --ignore-not-found" },
    { command: "get job j none" },
    { command: "get --raw /apis/batch/v1/namespaces/default/jobs/none" },
    { command: "get --raw /nothing" },
    { command: "get cm --subresource=status" },
    { command: "get job j --subresource=status -o name" },
  ],
  "waits": [
    { command: "create -f -", input: [job("j", { suspend: true }), configMap("a", { k: "1" })] },
    { command: "wait --for=jsonpath={.spec.suspend}=true job/j --timeout=5s" },
    { command: "wait --for=jsonpath={.data.k}=1 configmap/a --timeout=5s" },
    { command: "wait --for=jsonpath={.data.k}=2 configmap/a --timeout=1s" },
    { command: "wait --for=condition=Complete job/j --timeout=1s" },
    { command: "wait --for=create configmap/a --timeout=5s" },
    { command: "wait --for=condition=Complete job/none --timeout=1s" },
    { command: "delete configmap a --wait=false" },
    { command: "wait --for=delete configmap/a --timeout=5s" },
  ],
  "events": [
    { command: "events" },
    {
      command: "create -f -",
      input: [
        {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: "e" },
          involvedObject: { apiVersion: "batch/v1", kind: "Job", name: "j" },
          reason: "Tested",
          message: "was tried",
          type: "Normal",
          lastTimestamp: "2026-01-01T00:00:00Z",
        },
      ],
    },
    { command: "get events -o custom-columns=R:.reason,M:.message" },
    { command: "events --types=Warning" },
    { command: "events -o name" },
  ],
  "creates without a file": [
    { command: "create configmap a --from-literal=k=v -o yaml" },
    { command: "create secret generic s --from-literal=k=v -o yaml" },
    { command: "create secret docker-registry r --docker-username=u --docker-password=p --docker-server=example.com" },
    { command: "create quota q --hard=services=5,count/jobs.batch=7 -o yaml" },
    { command: "create job j --image=busybox --dry-run=server -o yaml -- echo hi" },
    { command: "create cronjob c --image=busybox --schedule=*/5\u00a0*\u00a0*\u00a0*\u00a0*" },
    { command: "create job from --from=cronjob/c -o yaml" },
    { command: "create serviceaccount sa -o yaml" },
    { command: "create role r --verb=get,list --resource=pods,jobs.batch -o yaml" },
    { command: "create rolebinding rb --role=r --serviceaccount=default:sa -o yaml" },
    { command: "create poddisruptionbudget pdb --selector=a=b --min-available=1 -o yaml" },
    { command: "create priorityclass STINT-P --value=5 --dry-run=server" },
    { command: "create service clusterip svc --tcp=80:80 --dry-run=client -o yaml" },
    { command: "create deployment d --image=busybox -o yaml" },
    { command: "run p --image=busybox --restart=Never" },
    { command: "get pod p -o jsonpath={.spec.containers}{.metadata.labels}" },
    { command: "create namespace Not_Valid" },
    { command: "create configmap a --from-literal=k=v" },
  ],
  "changes and deletes": [
    {
      command: "create -f -",
      input: [configMap("a", { k: "1" }), configMap("b", {}, { x: "y" }), job("j", { suspend: true })],
    },
    { command: 'patch configmap a -p {"data":{"k":"2"}}' },
    { command: 'patch configmap a -p {"data":{"k":"2"}}' },
    { command: 'patch configmap a --type=json -p [{"op":"remove","path":"/data/none"}]' },
    { command: 'patch job j --type=merge -p {"spec":{"completions":5}}' },
    { command: 'patch job j -p {"spec":{"template":{"spec":{"containers":[{"name":"main","image":"other"}]}}}}' },
    { command: 'patch job j --subresource=status --type=merge -p {"status":{"active":1}} -o jsonpath={.status}' },
    { command: "replace -f -", input: [configMap("none", {})] },
    { command: "replace --force -f -", input: [configMap("a", { k: "3" })] },
    { command: "delete configmap a --dry-run=server" },
    { command: "delete configmap -l x=y" },
    { command: "delete configmap none" },
    { command: "delete configmap a none --ignore-not-found" },
    { command: "delete job --all --cascade=background" },
    { command: "delete job j --cascade=nonsense" },
    { command: "delete nothing x" },
    { command: "delete configmap,job --all" },
  ],
  "describes": [
    {
      command: "create -f -",
      input: [configMap("a", { k: "v" }, { x: "y" }), job("j", { suspend: true }), cronJob("c")],
    },
    { command: "describe configmap a" },
    { command: "describe cronjob c" },
    { command: "describe job none" },
    { command: "create secret generic s --from-literal=k=v" },
    { command: "describe secret s" },
  ],
};
