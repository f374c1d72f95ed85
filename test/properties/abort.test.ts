/**
 * The message that a trap leaves behind.
 */
import { expect, test } from "vitest";
import { Leaves } from "./leaves.ts";

const WHERE = " (file.ts:345)";
const BYTES_MAX = 512;

test.each(["", "plain", "é € 𝒳 日本", "x".repeat(BYTES_MAX - WHERE.length)])("%j is kept whole", async (message) => {
  expect(await trapWith(message)).toBe(message + WHERE);
});

test.each(["x", "é", "€", "𝒳"])("a message of too many %s is cut between two characters", async (character) => {
  const bytes = new TextEncoder().encode(character).length;
  // One odd byte in front, so that the characters do not fill the buffer exactly.
  const kept = await trapWith(`-${character.repeat(BYTES_MAX)}`);
  const fitting = Math.floor((BYTES_MAX - 1) / bytes);
  expect(kept.slice(0, 1 + fitting * character.length)).toBe(`-${character.repeat(fitting)}`);
  expect(new TextEncoder().encode(kept).length).toBeLessThanOrEqual(BYTES_MAX);
});

test("no message before the first trap", async () => {
  expect((await Leaves.load()).trapMessage()).toBe("");
});

async function trapWith(message: string): Promise<string> {
  const leaves = await Leaves.load();
  const length = leaves.write(message);
  expect(() => leaves.exports.abortWith(leaves.input, length)).toThrow(WebAssembly.RuntimeError);
  return leaves.trapMessage();
}
