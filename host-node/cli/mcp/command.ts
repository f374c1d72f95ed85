/** How `stint mcp` is called: its description, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { contextOption, kubeconfigOption } from "../options/shared.ts";
import { ListOption } from "../strict-command.ts";
import { document } from "../../words/document.ts";

const HELP = `
It is a server of the Model Context Protocol: an agent starts it and speaks with
it over standard input and output, a JSON-RPC message a line. It ends when
standard input is closed. ${document("docs/agents.md")} says how to add it to Claude Code,
Codex, VS Code and others, and has a skill that says when to use what.

Its tools are the commands of the same names: why, wait, doctor, upgrade-check,
lint, forecast and explain. Each answers with what the command prints as JSON.

Nothing is written: a cluster gets GETs alone, no file is read but those that
you name, and no command is run but one that the kubeconfig names for its
credentials. Manifests come as text. The cluster is that of --kubeconfig, else
of $KUBECONFIG, else of ./stint.kubeconfig, which stint serve writes, else the
one that kubectl takes. An agent cannot choose another, nor another context than
those of --context and --allow-context. It sees what these credentials may read
of Jobs, their pods and Events, and the last lines of a failed pod's log.

Limits: 8 MiB a message, 4 MiB a manifest, 64 KiB an answer, 8 calls at a time,
5 minutes a wait.

Exit status:
  0    standard input was closed
  2    bad usage
  74   the output cannot be written
  130  interrupted by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP

Examples:
  claude mcp add stint -- stint mcp --context staging
      add it to Claude Code; --context fixes which cluster is asked
  stint mcp --context staging --allow-context production
      the agent may name the context production, too
  stint mcp --controller http://127.0.0.1:8080
      that controller also remembers pods of a Job that are gone
`;

export function addMcp(program: Command, { console, exit, version }: CommandContext): void {
  program
    .command("mcp")
    .description("Serve agents, which may ask why, wait, lint and more, and change nothing.")
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(
      new ListOption(
        "--allow-context <name>",
        "a context that an agent may name besides; may be given several times",
        (names) => names,
      ),
    )
    .option(
      "--controller <url>",
      "ask this controller first about a Job, and about pods that are gone: http://127.0.0.1:8080 of a port-forward",
    )
    .option("--controller-namespace <namespace>", "where the Lease of a stint controller is looked for", "stint-system")
    .addHelpText("after", HELP)
    .action(async ({ allowContext: allowedContexts = [], controller, ...options }) => {
      const { mcp } = await import("./mcp.ts");
      exit(await mcp({ ...options, controller, allowedContexts, version }, console, process.stdin));
    });
}
