/** Times in words: instants to the millisecond, lengths rounded. */
import { expect, test } from "vitest";
import { instantText, lengthText } from "../../../host-browser/app/time-text.ts";

test.each([
  [0, "0.000 s"],
  [1250, "1.250 s"],
  [59_999.6, "1:00.000"],
  [185_000, "3:05.000"],
  [7_385_004, "2:03:05.004"],
])("the instant %d is %s", (ms, text) => expect(instantText(ms)).toBe(text));

test.each([
  [0, "0 ms"],
  [850, "850 ms"],
  [12_000, "12 s"],
  [9_340, "9.3 s"],
  [12_340, "12 s"],
  [59_960, "1 min"],
  [185_000, "3 min 5 s"],
  [7_380_000, "2 h 3 min"],
  [200_000_000, "2 d 8 h"],
])("the length %d is %s", (ms, text) => expect(lengthText(ms)).toBe(text));
