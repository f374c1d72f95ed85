/**
 * The regular expressions of schemas. Go writes them in RE2's syntax; this file turns what is written otherwise into
 * JavaScript's. Leaves out that Go's take linear time: a CustomResourceDefinition of bad intent can be slow here.
 */
import { BoundedMap } from "../../bounded-map.ts";

/** Patterns that are kept in compiled form. */
const MAX_COMPILED = 1_000;
const compiled = new BoundedMap<string, RegExp>(MAX_COMPILED);

/** @throws SyntaxError */
export function compilePattern(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const [, flags = "", rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  const source = rest.replaceAll("\\A", "^").replaceAll("\\z", "$").replaceAll("(?P<", "(?<");
  const expression = tryCompile(source, `${flags}u`) ?? new RegExp(source, flags);
  compiled.put(pattern, expression);
  return expression;
}

/** Undefined: JavaScript's stricter syntax for Unicode refuses an escape that Go takes. */
function tryCompile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
