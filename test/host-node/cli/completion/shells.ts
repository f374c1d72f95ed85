/** What a shell offers for the end of a command line, by the script of `stint completion` in that shell. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Shell = "bash" | "zsh" | "fish";

const HAS_PROGRAM = new Map<string, boolean>();

export function isInstalled(shell: Shell): boolean {
  const known = HAS_PROGRAM.get(shell);
  if (known !== undefined) return known;
  const found = spawnSync(shell, ["-c", "exit 0"]).status === 0;
  HAS_PROGRAM.set(shell, found);
  return found;
}

/** As readline takes a line apart: at blanks, and round =. */
const BASH = `
source "$1"
IFS=$'\\n' read -rd '' -a COMP_WORDS <<< "$2"
[[ $2 == *$'\\n' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_stint
printf '%s\\n' "\${COMPREPLY[@]}"
`;
const FISH = `
source $argv[1]
complete -C "$argv[2]" | string replace -r '\\t.*' ''
`;
/** Another terminal, in which Tab is pressed; what completion adds goes to a file. */
const ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -Uz compinit; compinit -u -D; source $1; LISTMAX=10000; stint() :"
zpty -w shell 'compadd() {
  local -a hits
  [[ "\${@[1,(i)(-|--)]}" == *-(O|A|D)\\ * ]] || { builtin compadd -A hits "$@"; print -rl -- $hits >>'$3'; }
  builtin compadd "$@"
}'
zpty -w shell "$2"$'\\t'
zpty -w shell "exit"
while zpty -r shell said; do :; done
cat "$3" 2>/dev/null
`;

/** @param folder for scratch files, and the working directory of the shell */
export function offered(shell: Shell, script: string, line: string, folder: string): readonly string[] {
  const file = join(folder, `completion.${shell}`);
  writeFileSync(file, script);
  const commands: Readonly<Record<Shell, readonly [string, ...string[]]>> = {
    bash: ["bash", "--norc", "-c", BASH, "bash", file, line.replaceAll("=", "\n=\n").replaceAll(" ", "\n")],
    fish: ["fish", "--no-config", "-c", FISH, file, line],
    zsh: ["zsh", "-f", "-c", ZSH, "zsh", file, line, join(folder, ".hits")],
  };
  const [command, ...args] = commands[shell];
  rmSync(join(folder, ".hits"), { force: true });
  const { stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: "utf8", timeout: 30_000 });
  if (error !== undefined || stderr !== "") throw new Error(`${shell}: ${error?.message ?? stderr}`);
  const words = stdout.split("\n").map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ""))].toSorted();
}
