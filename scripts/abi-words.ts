/**
 * `npm run abi`: writes the words of bindings/ABI.md into the binding of each language. They are in git, for Go and
 * Python take their packages from there; test/scripts/abi-words.test.ts fails when they are not as this writes them.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { filesOfAbiWords, root } from "./abi-words/files.ts";

for (const [file, text] of await filesOfAbiWords()) {
  writeFileSync(path.join(root, file), text);
  console.log(file);
}
