/**
 * What reads the picture, and what is pointed at in it: hits, the cursor, the lens, words and tables. It is apart
 * because the picture is seen before anybody can point at it (view.ts).
 */
import { instantAt, minimapInstant } from "./hit.ts";
import { Pointing } from "./pointing.ts";
import { summaryOf } from "./summary.ts";
import { tableOf, thingsOf } from "./table.ts";
import { panned, zoomed } from "./zoom.ts";

export const READING = { Pointing, instantAt, minimapInstant, panned, summaryOf, tableOf, thingsOf, zoomed };

export type Reading = typeof READING;
