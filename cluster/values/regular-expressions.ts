/**
 * Regular expressions as in Go: with RE2's syntax and the words of its errors, and in time linear in the length of the
 * text, whatever the pattern.
 */
import { RE2JS } from "re2js";
import { BoundedMap } from "./bounded-map.ts";

/** Patterns that are kept in compiled form. */
const MAX_COMPILED = 1_000;
const compiled = new BoundedMap<string, RE2JS>(MAX_COMPILED);

/** @throws Error with Go's sentence: `error parsing regexp: missing closing ]: …` */
export function regularExpression(pattern: string): RE2JS {
  const expression = compiled.get(pattern) ?? RE2JS.compile(pattern);
  compiled.put(pattern, expression);
  return expression;
}
