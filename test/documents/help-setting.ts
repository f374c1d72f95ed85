/** What a user has who types the examples of --help: files, programs, and a cluster with Jobs; as lines of a shell. */

/** Files, and a stand-in for Helm: it prints a chart that is rendered. */
export const FILES = String.raw`
set -o pipefail
job() { cat <<END
apiVersion: batch/v1
kind: Job
metadata: {name: $1, labels: {app: migrate}}
spec:
  template:
    metadata: {annotations: {stint.dev/simulate: '{"exitCode": 0}'}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox, command: [echo, hello]}]
END
}
job work >job.yaml
mkdir jobs manifests profiles
cp job.yaml jobs/; cp job.yaml manifests/
cat >cronjob.yaml <<END
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: busybox, command: [echo, hello]}]
END
printf 'secret,ann,1\n' >users.csv
printf 'leaseDuration: 15s\n' >stint.yaml
printf 'rule: [NoDeadline=deny]\nmaxPods: 50\n' >profiles/strict.yaml
helm() { cat job.yaml; }
`;

/** A cluster with Jobs in two namespaces, a CronJob and a pod; one server under the names of three contexts. */
const CLUSTER = String.raw`
stint serve --no-controller --kubeconfig there.kubeconfig >served 2>&1 & disown
until [ -s there.kubeconfig ]; do sleep 0.1; done
export KUBECONFIG=$PWD/there.kubeconfig
for context in prod staging production; do
  kubectl config set-context $context --cluster="$(kubectl config view -o jsonpath='{.clusters[0].name}')" --user="$(kubectl config view -o jsonpath='{.users[0].name}')"
done
kubectl create namespace team
kubectl create namespace ci
for name in pi hello; do job $name | kubectl create -f -; done
for name in a b retry; do job $name | kubectl create -n team -f -; done
kubectl create -f cronjob.yaml
kubectl create -f job.yaml
kubectl run pi-x2k9f --image=busybox --restart=Never
stint controller --default-controller --leader-elect=false --listen off >controlled 2>&1 & disown
until kubectl wait --for=condition=complete job/pi --timeout=20s; do sleep 0.1; done
`;

const CERTIFICATES = String.raw`
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout tls.key -out tls.crt
cp tls.crt ca.crt
`;

/** What the examples of a command need besides. */
export const SETTINGS: Readonly<Record<string, string>> = {
  controller: CLUSTER,
  doctor: CLUSTER,
  lint: CLUSTER,
  mcp: CLUSTER,
  "stint": `${CLUSTER}\n${CERTIFICATES}`,
  "upgrade-check": CLUSTER.replace("stint serve", "stint serve --kubernetes 1.34"),
  wait: CLUSTER,
  webhook: CERTIFICATES,
  why: CLUSTER.replace("--listen off", ""),
};

/** What a user has done before one example, beside the examples before it. */
export const BEFORE: Readonly<Record<string, string>> = {
  "curl http://127.0.0.1:8080/debug/jobs/default/pi": String.raw`
stint controller --leader-elect=false >debugged 2>&1 & disown
until curl -sf http://127.0.0.1:8080/readyz; do sleep 0.1; done`,
  "curl --cacert ca.crt https://localhost:8443/readyz": String.raw`
stint webhook --cert tls.crt --key tls.key >hooked 2>&1 & disown
until curl -sf --cacert ca.crt https://localhost:8443/readyz; do sleep 0.1; done`,
  "export KUBECONFIG=$PWD/stint.kubeconfig; stint why job/report": String.raw`
rm -f stint.kubeconfig
stint incident quota-used-up --serve >incident 2>&1 & disown
until [ -s stint.kubeconfig ] && KUBECONFIG=stint.kubeconfig kubectl get job report; do sleep 0.2; done`,
  "export KUBECONFIG=$PWD/stint.kubeconfig; kubectl create -f examples/pi.yaml": String.raw`
stint serve >served 2>&1 & disown
until [ -s stint.kubeconfig ]; do sleep 0.1; done`,
};

/** Examples that are not run here, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  "stint controller --shard 0/2": "needs an API server with shards: test/kubernetes/shards.test.ts",
  "stint run --visible . job.yaml": "needs a sandbox, and this is one: test/host-node/cli/sandbox.e2e.test.ts",
  "claude mcp add stint -- stint mcp --context staging": "an agent of others: test/host-node/cli/mcp.e2e.test.ts",
  "claude mcp add stint -- stint mcp": "an agent of others: test/host-node/cli/mcp.e2e.test.ts",
  "kubectl -n stint-system port-forward POD 8080": "no pod is a controller here: docs/controller.md is run",
  'stint completion zsh > "${fpath[1]}/_stint"': "for another shell: test/host-node/cli/completion",
  "stint import --job pi --until 2026-11-23T20:36:22Z jobs.json pods.json":
    "of that time: test/host-node/cli/import.test.ts",
  "stint import --job team/pi --save pi.jsonl jobs.json pods.json": "needs logs: test/host-node/cli/import.test.ts",
  "stint import --save flight.jsonl /var/lib/stint/flight": "needs a recording: test/host-node/flight-recorder",
  "stint import jobs.json pods.json": "needs logs: test/host-node/cli/import.test.ts",
  "stint why pi --controller http://127.0.0.1:8080 --shadow": "needs a shadow: docs/shadow.md is run",
  "stint replay --job team/pi /var/lib/stint/flight": "needs a recording: test/host-node/flight-recorder",
};
