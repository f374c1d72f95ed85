/** Names and comments as the languages of the bindings write them. */

export const MAX_COLUMNS = 120;
export const ORIGIN = "scripts/abi-words.ts from bindings/ABI.md";

/** `listBegin`, `list-begin`, `NotListed` as single words in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split("-");
}

/** `ListBegin` as `LIST_BEGIN`. */
export function constantCase(name: string): string {
  return wordsOf(name).join("_").toUpperCase();
}

export function capitalized(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

/** The text in lines, each with this prefix and no longer than allowed. */
export function wrapped(text: string, prefix: string, tabColumns = 0): string[] {
  const columns = MAX_COLUMNS - prefix.length - tabColumns;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(prefix + line);
      line = word;
    } else {
      line += line === "" ? word : ` ${word}`;
    }
  }
  return [...lines, prefix + line];
}
