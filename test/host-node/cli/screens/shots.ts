/**
 * What is shown of each command: its help, a success, a failure, and what moves while it works; `stint` is the program
 * without a command. The lines run one after another in one folder, which has the examples and, in $KUBECONFIG, a
 * cluster whose time stands still.
 */
export interface Shot {
  readonly line: string;
  /** The command goes on, and is ended when the screen shows this. Undefined: it ends. */
  readonly until?: RegExp;
}

const shots = (...lines: readonly (string | readonly [line: string, until: RegExp])[]): readonly Shot[] =>
  lines.map((one) => (typeof one === "string" ? { line: one } : { line: one[0], until: one[1] }));

export const SHOTS: Readonly<Record<string, readonly Shot[]>> = {
  stint: shots("stint --help", "stint", "stint wiat pi", "stint why --nmaespace a b"),
  run: shots(
    "stint run --help",
    "stint run --runtime simulated examples/pi.yaml",
    "stint run --runtime simulated examples/one-fails.yaml examples/retry-once.yaml",
    "stint run --runtime simulated --explain examples/retry-once.yaml",
    "stint run --runtime simulated examples/limit-per-index.yaml",
    ["stint run --no-isolation examples/pi.yaml examples/queue-pod-per-item.yaml", /█.* active/],
    "stint run examples/readme/broken.yaml",
    "stint run nowhere.yaml",
  ),
  serve: shots(
    "stint serve --help",
    ["stint serve --kubeconfig other.kubeconfig", /Ctrl-C/],
    ["stint serve --clock virtual --control --kubeconfig third.kubeconfig", /Ctrl-C/],
    "stint serve --clock slow",
  ),
  controller: shots(
    "stint controller --help",
    ["stint controller --leader-elect=false --listen off", /Kubernetes v/],
    "stint controller --kubeconfig nowhere",
  ),
  webhook: shots(
    "stint webhook --help",
    ["stint webhook --cert tls.crt --key tls.key --port 0", /https:/],
    "stint webhook",
    "stint webhook --cert nowhere --key nowhere",
  ),
  replay: shots(
    "stint run --runtime simulated --record r.jsonl examples/retry-once.yaml",
    "stint replay --help",
    "stint replay r.jsonl",
    "stint replay --explain r.jsonl",
    "stint replay examples/pi.yaml",
  ),
  import: shots("stint import --help", "stint import jobs.json pods.json", "stint import examples/pi.yaml"),
  why: shots(
    "stint why --help",
    "stint why retry",
    "stint why lost",
    "stint why stuck",
    "stint why unmounted",
    "stint why cronjob/flaky",
    "stint why cronjob/frozen",
    ["stint why retry --watch", /waiting/],
    "stint why rerty",
    "stint why paused --kubeconfig nowhere",
  ),
  explain: shots("stint explain --help", "stint explain", "stint explain Backoff", "stint explain Bakcoff"),
  wait: shots(
    "stint wait --help",
    "stint wait done",
    "stint wait lost",
    "stint wait done lost -n default",
    ["stint wait retry stuck", /is stuck/],
    "stint wait nope",
  ),
  lint: shots(
    "stint lint --help",
    "stint lint examples/readme/report.yaml",
    "stint lint examples/deadline.yaml examples/policies.yaml examples/sidecar.yaml",
    "stint lint examples/readme/broken.yaml",
    "stint lint examples/incidents/rule-never-sees.yaml examples/incidents/deadline-in-cron-spec.yaml",
    "stint lint --rule NoDeadlin=off examples/pi.yaml",
  ),
  doctor: shots(
    "stint doctor --help",
    "stint doctor --older-than 1ms",
    ["stint doctor", /reading/],
    "stint doctor --older-than 10h",
    "stint doctor --kubeconfig nowhere",
  ),
  "upgrade-check": shots(
    "stint upgrade-check --help",
    "stint upgrade-check --from 1.32 examples/gang.yaml examples/policies.yaml examples/replacement.yaml",
    "stint upgrade-check --from 1.36 --to 1.37 examples/pi.yaml",
    "stint upgrade-check --from 1.12 examples/pi.yaml",
  ),
  forecast: shots(
    "stint forecast --help",
    "stint forecast examples/retry.yaml",
    "stint forecast examples/pi.yaml --pod-duration 5m..20m",
    `stint forecast examples/deadline.yaml --outcome '{"exitCode": 1}'`,
    "stint forecast examples/limit-per-index.yaml --pod-duration 5m..20m",
    "stint forecast examples/pi.yaml --pod-duration long",
  ),
  incident: shots(
    "stint incident --help",
    "stint incident",
    "stint incident quota-used-up",
    "stint incident memory-limit --repaired",
    "stint incident imgae-typo",
  ),
  mcp: shots("stint mcp --help"),
  completion: shots("stint completion --help", "stint completion powershell"),
  version: shots("stint version --help", "stint version"),
  schema: shots("stint schema --help", "stint schema weather"),
};
