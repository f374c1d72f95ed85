/** What `stint serve` says on standard output: for people, or for the program that has started it. */
import { CONTROL_PATH } from "../../server/control-path.ts";
import type { ServeOptions } from "../serve/serve-options.ts";
import { printable } from "../../words/printable.ts";
import { shellWord } from "../../words/shell-word.ts";

const WHAT_RUNS: Readonly<Record<ServeOptions["runtime"], string>> = {
  simulated:
    "Pods are simulated: they succeed after one to three seconds, or do as their annotation stint.dev/simulate says.",
  process: "Pods run as processes of this machine.",
  docker: "Pods run in containers of Docker.",
  podman: "Pods run in containers of Podman.",
  none: "Nothing runs the pods: another program must bind them and write their status through the API.",
};

const ONLY_SCHEDULED =
  "Pods are bound to the nodes that other programs make; these must also write the status of the pods.";
const NO_SCHEDULER = "Nothing binds pods to nodes: your scheduler does, through the API, or pods name their node.";
const NO_CONTROLLER =
  "No controller acts on the Jobs: yours does, through the API, or `stint controller --default-controller`.";
const API_ONLY =
  "Only the API is here: no controller, scheduler, kubelet or garbage collector. Other programs act, through the API.";

const TIME: Readonly<Record<ServeOptions["clock"], string>> = {
  real: "",
  virtual: " Its time stands still until they move it.",
};

/** The messages on standard output. */
export interface ServeOutput {
  serving(server: string, kubeconfig: string): string;
  stopped(kubeconfig: string, removed: boolean): string;
}

/** One JSON object a line, for the program that has started this one. */
export const serveOutputForPrograms = (options: ServeOptions): ServeOutput => ({
  serving: (server, kubeconfig) => {
    const control = options.control ? `${server}${CONTROL_PATH}` : undefined;
    return `${JSON.stringify({ type: "serving", server, kubeconfig, control })}\n`;
  },
  stopped: (kubeconfig, removed) => `${JSON.stringify({ type: "stopped", kubeconfig, removed })}\n`,
});

/** @param command how this command was called */
export const serveOutputForPeople = (options: ServeOptions, command: string): ServeOutput => ({
  serving: (server, kubeconfig) =>
    [
      `Serving a Kubernetes API at ${server} until Ctrl-C.`,
      ...(options.dataDir === undefined ? [] : [`What is written is kept in ${printable(options.dataDir)}.`]),
      ...(options.apiOnly ? [API_ONLY] : whatActs(options)),
      ...(options.control ? [`Tests control it at ${server}${CONTROL_PATH}.${TIME[options.clock]}`] : []),
      "",
      "In another terminal:",
      `  export KUBECONFIG=${shellWord(kubeconfig)}`,
      "  kubectl create -f examples/hello.yaml",
      "  kubectl get jobs,pods --watch",
      `  ${command} why hello`,
      "",
      "",
    ].join("\n"),
  stopped: (kubeconfig, removed) =>
    removed
      ? `Stopped, and removed ${printable(kubeconfig)}.\n`
      : `Stopped. ${printable(kubeconfig)} is no longer the file that was written here, and stays.\n`,
});

function whatActs({ runtime, controller, scheduler }: ServeOptions): string[] {
  return [
    ...(controller ? [] : [NO_CONTROLLER]),
    runtime === "none" && scheduler === true ? ONLY_SCHEDULED : WHAT_RUNS[runtime],
    ...(runtime !== "none" && scheduler === false ? [NO_SCHEDULER] : []),
  ];
}
