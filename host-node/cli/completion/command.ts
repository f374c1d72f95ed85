/** How `stint completion` is called: its description, argument and help. */
import { Argument, type Command } from "commander";
import type { CommandContext } from "../command.ts";

const HELP = `
The script completes commands, options, values of which there are few, and file
names. It is made from this version's list of commands: make it again after an
upgrade.

Exit status:
  0   the script is printed
  2   bad usage
  74  the output cannot be written

Examples:
  source <(stint completion bash)
      in ~/.bashrc
  stint completion zsh > "\${fpath[1]}/_stint"
      once, or in ~/.zshrc after compinit: source <(stint completion zsh)
  stint completion fish > ~/.config/fish/completions/stint.fish
`;

export function addCompletion(program: Command, { console, exit }: CommandContext): void {
  program
    .command("completion")
    .description("Print a script by which a shell completes the words of this command.")
    .addArgument(new Argument("<shell>", "for which").choices(["bash", "zsh", "fish"]))
    .addHelpText("after", HELP)
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { completionScript } = await import("./completion.ts");
      console.writeOut(completionScript(shell, program));
      exit(0);
    });
}
