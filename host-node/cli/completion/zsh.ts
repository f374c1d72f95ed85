/** The script for zsh: to be sourced, or as a file `_stint` in its fpath. */
import type { CommandWords, Flag, Value } from "./words.ts";

export function zshScript(commands: readonly CommandWords[]): string {
  return `#compdef stint
compdef _stint stint

_stint() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C '1: :->command' '*:: :->rest' '(-h --help)'{-h,--help}'[display help]' '(-v --version)'{-v,--version}'[print the versions]'
  case $state in
    command)
      local -a commands=(
${commands.map(({ name, description }) => `        ${quoted(`${name}:${description}`)}`).join("\n")}
      )
      _describe -t commands 'command of stint' commands ;;
    rest)
      case $words[1] in
${commands.map(commandCase).join("\n")}
      esac ;;
  esac
}

# As a file of the fpath it is called for the first completion; when it is sourced it is not.
if [ "$funcstack[1]" = _stint ]; then _stint "$@"; fi
`;
}

function commandCase({ name, flags, argument }: CommandWords): string {
  const specs = flags.map(flagSpec);
  if (argument !== undefined) specs.push(quoted(`*:${name}:${action(argument)}`));
  return `        ${name}) _arguments -S ${specs.map((spec) => `\\\n          ${spec}`).join(" ")} ;;`;
}

function flagSpec({ long, short, description, value, isOptional, placeholder }: Flag): string {
  const text = `[${description.replaceAll(/[\\[\]]/g, "\\$&")}]`;
  if (value === undefined) {
    const names = short === undefined ? [long] : [short, long];
    return names.map((name) => quoted(`*${name}${text}`)).join(" ");
  }
  const end = `${isOptional ? "::" : ":"}${placeholder}:${action(value)}`;
  const longSpec = quoted(`*${long}=${isOptional ? "-" : ""}${text}${end}`);
  return short === undefined ? longSpec : `${quoted(`*${short}+${text}${end}`)} ${longSpec}`;
}

function action(value: Value): string {
  if (value.kind === "words") return `(${value.words.join(" ")})`;
  return value.kind === "file" ? "_files" : " ";
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
