/**
 * What reads the picture, and what is pointed at in it: hits, the cursor, the lens, words, tables, the legend, and rows
 * too many for names. A separate file, because the first picture has few rows, and is drawn before the user can point
 * at it (view.ts).
 */
import { Crowd } from "./crowd.ts";
import { instantAt, minimapInstant } from "./hit.ts";
import { drawSwatchOn, legendOf } from "./legend.ts";
import { Pointing } from "./pointing.ts";
import { summaryOf } from "./summary.ts";
import { tableOf, thingsOf } from "./table.ts";
import { panned, zoomed } from "./zoom.ts";

export const READING = {
  Crowd,
  Pointing,
  instantAt,
  minimapInstant,
  panned,
  zoomed,
  drawSwatchOn,
  legendOf,
  summaryOf,
  tableOf,
  thingsOf,
};

export type Reading = typeof READING;
