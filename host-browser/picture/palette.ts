/**
 * Colours and patterns of everything in the picture, for a light and a dark page: those of Okabe and Ito, which people
 * with any kind of colour vision can tell apart.
 *
 * Invariant: no two states differ in colour alone; each has its own pattern or mark. Colours that bitmaps use are
 * `#rrggbb`.
 */
import { PodState } from "../records.ts";
import type { Theme } from "./parts.ts";

export type Pattern = "none" | "dots" | "rising" | "falling" | "dashes" | "upright" | "cross";

export interface StateLook {
  readonly fill: string;
  readonly pattern: Pattern;
  /** Of the pattern. */
  readonly ink: string;
  /** Of what stays of a pod after its end. */
  readonly tail: string;
  /** Of writing on the fill. */
  readonly label: string;
}

export interface Palette {
  readonly background: string;
  /** Behind every second track, and of panels over the picture. */
  readonly panel: string;
  readonly grid: string;
  readonly edge: string;
  readonly text: string;
  readonly soft: string;
  /** Playhead and cursor. */
  readonly accent: string;
  /** Writing on the accent. */
  readonly onAccent: string;
  /** Over what is after the playhead. */
  readonly veil: string;
  readonly gap: string;
  readonly gapInk: string;
  readonly flag: string;
  readonly flagShade: string;
  readonly fold: string;
  readonly ghost: string;
  readonly decision: string;
  /** Pods at work on a node: calmer than their bars, which the reader should see first. */
  readonly load: string;
  readonly warning: string;
  /** For no pod, one attempt, two… */
  readonly attempts: readonly string[];
  readonly states: readonly StateLook[];
}

function states(looks: Readonly<Record<PodState, readonly [string, Pattern, string, string, string]>>): StateLook[] {
  const list: StateLook[] = [];
  for (const [state, [fill, pattern, ink, tail, label]] of Object.entries(looks)) {
    list[Number(state)] = { fill, pattern, ink, tail, label };
  }
  return list;
}

const LIGHT: Palette = {
  background: "#fffefb",
  panel: "#f7f5f0",
  grid: "#eeede9",
  edge: "#d8d6d0",
  text: "#1b2129",
  soft: "#5c6674",
  accent: "#14181f",
  onAccent: "#ffffff",
  veil: "rgba(255,254,251,0.5)",
  gap: "#fbf3e2",
  gapInk: "#d9a23a",
  flag: "#7b4fa3",
  flagShade: "rgba(123,79,163,0.09)",
  fold: "rgba(238,236,230,0.86)",
  ghost: "#8a94a3",
  decision: "#3f4a59",
  load: "#b5d8ef",
  warning: "#b34700",
  attempts: ["#eeede9", "#bfe3f5", "#56b4e9", "#e69f00", "#d55e00", "#8c2d04"],
  states: states({
    [PodState.PENDING]: ["#d3d9e1", "dots", "#8893a2", "#e6eaef", "#1b2129"],
    [PodState.STARTING]: ["#a9d8f3", "rising", "#5ea9d6", "#d4ecf9", "#1b2129"],
    [PodState.WAITING]: ["#f2c14e", "dashes", "#9a6700", "#f9e3b0", "#1b2129"],
    [PodState.RUNNING]: ["#2f8fcf", "upright", "#8cc6ec", "#b5d8ef", "#ffffff"],
    [PodState.READY]: ["#0072b2", "none", "#0072b2", "#b5d8ef", "#ffffff"],
    [PodState.TERMINATING]: ["#cc79a7", "falling", "#8a3f68", "#ebcfdf", "#1b2129"],
    [PodState.SUCCEEDED]: ["#009e73", "none", "#00694d", "#a6dccb", "#ffffff"],
    [PodState.FAILED]: ["#d55e00", "cross", "#8f3f00", "#f3c6a5", "#ffffff"],
    [PodState.GONE]: ["#c9c7c1", "none", "#c9c7c1", "#eeede9", "#3d4550"],
  }),
};

const DARK: Palette = {
  background: "#1b1e24",
  panel: "#22262e",
  grid: "#282d36",
  edge: "#39424e",
  text: "#e6eaf0",
  soft: "#9aa5b4",
  accent: "#f4f6f9",
  onAccent: "#1b1e24",
  veil: "rgba(27,30,36,0.52)",
  gap: "#2a2518",
  gapInk: "#b98a2e",
  flag: "#c29be6",
  flagShade: "rgba(194,155,230,0.12)",
  fold: "rgba(41,46,55,0.86)",
  ghost: "#7d8896",
  decision: "#b9c3d0",
  load: "#2d6185",
  warning: "#ff9d57",
  attempts: ["#2a303a", "#1d4f6b", "#3a9bd4", "#e69f00", "#f07a2a", "#ffb58a"],
  states: states({
    [PodState.PENDING]: ["#4a5462", "dots", "#95a1b1", "#2a3039", "#e6eaf0"],
    [PodState.STARTING]: ["#2c5f7e", "rising", "#67b3de", "#203642", "#e6eaf0"],
    [PodState.WAITING]: ["#c9961f", "dashes", "#3b2a00", "#4d3d16", "#14171c"],
    [PodState.RUNNING]: ["#3d95cf", "upright", "#8ecbf0", "#1f4259", "#08121a"],
    [PodState.READY]: ["#56b4e9", "none", "#56b4e9", "#1f4259", "#08121a"],
    [PodState.TERMINATING]: ["#c777a3", "falling", "#5e2645", "#452a3a", "#14171c"],
    [PodState.SUCCEEDED]: ["#1fb98c", "none", "#0d6b50", "#174a3c", "#08140f"],
    [PodState.FAILED]: ["#f0722b", "cross", "#7a2f00", "#553018", "#140800"],
    [PodState.GONE]: ["#4b535f", "none", "#4b535f", "#282d36", "#d5dbe3"],
  }),
};

export function paletteOf(theme: Theme): Palette {
  return theme === "dark" ? DARK : LIGHT;
}

/** For the branch before: every state in a colour nearer to the background. */
export function fadedPalette(palette: Palette): Palette {
  const fade = (colour: string): string => mixed(colour, palette.background, FADE);
  const states = palette.states.map((look) => ({ ...look, fill: fade(look.fill), tail: fade(look.tail) }));
  return { ...palette, states, gap: fade(palette.gap) };
}

/** How much of a faded colour is the background's. */
const FADE = 0.5;

function mixed(one: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [one, other].map((colour) => parseInt(colour.slice(at, at + 2), 16)) as [number, number];
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

/** A colour as one number of four bytes, as ImageData keeps it on machines whose lowest byte comes first. */
export function pixelOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return ((255 << 24) | (blue! << 16) | (green! << 8) | red!) >>> 0;
}
