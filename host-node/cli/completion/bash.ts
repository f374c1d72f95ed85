/** The script for bash, from 3.2 on; it needs no package bash-completion. */
import type { CommandWords, Flag, Value } from "./words.ts";

export function bashScript(commands: readonly CommandWords[]): string {
  return `# bash: source <(stint completion bash)
_stint() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words= kind=words
  local command=\${COMP_WORDS[1]}
  COMPREPLY=()
  # bash takes --flag=value apart.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ $COMP_CWORD -eq 1 ]]; then
    words='${[...commands.map(({ name }) => name), "--help", "--version"].join(" ")}'
  elif [[ $current == -* ]]; then
    case $command in
${commands.map(flagsCase).join("\n")}
    esac
  else
    case "$command $previous" in
${commands.flatMap((command) => command.flags.flatMap((flag) => valueCase(command, flag))).join("\n")}
      *)
        case $command in
${commands.map(argumentCase).join("\n")}
        esac ;;
    esac
  fi
  if [[ $kind == file ]]; then
    # The shell's own completion of files knows spaces and ~; outside of a completion there is none.
    compopt -o default 2>/dev/null || while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  elif [[ $kind == words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _stint stint
`;
}

function valueCase({ name }: CommandWords, { long, short, value }: Flag): string[] {
  if (value === undefined) return [];
  const patterns = [long, short].filter((flag) => flag !== undefined).map((flag) => `"${name} ${flag}"`);
  return [`      ${patterns.join(" | ")}) ${assignment(value)} ;;`];
}

const flagsCase = ({ name, flags }: CommandWords): string =>
  `      ${name}) words='${flags.map(({ long }) => long).join(" ")}' ;;`;

const argumentCase = ({ name, argument }: CommandWords): string =>
  `          ${name}) ${argument === undefined ? "kind=none" : assignment(argument)} ;;`;

function assignment(value: Value): string {
  if (value.kind === "words") return `words='${value.words.join(" ")}'`;
  return value.kind === "file" ? "kind=file" : "kind=none";
}
