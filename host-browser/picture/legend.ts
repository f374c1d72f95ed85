/** The legend: what colours, patterns and marks mean, with a sample of each. Only what occurs is listed. */
import { NodeState, PodState } from "../records.ts";
import { drawCap, drawState } from "./bars.ts";
import { DIFFERENCE_WORDS } from "./difference.ts";
import { differenceColours } from "./heat-map.ts";
import { drawCordoned } from "./draw-strip.ts";
import { toneColour } from "./draw-tracks.ts";
import type { LegendEntry } from "./parts.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { STATE_WORDS } from "./words.ts";

const MEANINGS: Readonly<Partial<Record<PodState, string>>> = {
  [PodState.PENDING]: "The pod has no node yet.",
  [PodState.STARTING]: "It is bound to a node; its containers are being made.",
  [PodState.WAITING]: "A container cannot start, or waits before its restart.",
  [PodState.RUNNING]: "Its containers run, and are not all ready.",
  [PodState.READY]: "Its containers run and are ready.",
  [PodState.TERMINATING]: "It is being deleted; its containers are given time to end.",
  [PodState.SUCCEEDED]: "All containers ended with exit code 0.",
  [PodState.FAILED]: "It ended otherwise; the reason is next to it.",
  [PodState.GONE]: "It was deleted before its containers exited.",
};

const MARKS: readonly (LegendEntry & { readonly occurs: (scene: Scene) => boolean })[] = [
  {
    key: "gap",
    label: "Back-off",
    meaning: "The controller waits before it creates a pod again.",
    occurs: ({ timeline }) => timeline.gaps.job.length > 0,
  },
  {
    key: "decision",
    label: "Decision",
    meaning: "The controller decided something; amber waits, orange ends badly, green ends well.",
    occurs: ({ timeline }) => timeline.decisions.job.length > 0,
  },
  {
    key: "overview",
    label: "Whole run",
    meaning: "All pods at work, and a tick for each decision; orange where a pod failed.",
    occurs: ({ timeline }) => timeline.decisions.job.length > 0,
  },
  {
    key: "flag",
    label: "Action",
    meaning: "A user or a fault changed the cluster.",
    occurs: ({ timeline }) => timeline.flags.length > 0,
  },
  {
    key: "load",
    label: "Pods on a node",
    meaning: "Pods at work on a node: the more, the higher.",
    occurs: ({ nodes, layout }) => nodes.loads.length > 0 && layout.strip.rows > 1,
  },
  {
    key: "cordoned",
    label: "Cordoned",
    meaning: "The node takes no new pods.",
    occurs: ({ nodes, layout }) =>
      layout.strip.rows > 1 &&
      !nodes.isSummed &&
      nodes.all.some(({ changes }) => changes.some(({ state }) => state === NodeState.CORDONED)),
  },
  {
    key: "fold",
    label: "Folded",
    meaning: "Nothing changed here; the number says for how long.",
    occurs: ({ time }) => time.folds.length > 0,
  },
  {
    key: "ghost",
    label: "Before the change",
    meaning: "The same row in the branch that was left.",
    occurs: ({ ghost }) => ghost !== undefined,
  },
];

export function legendOf(scene: Scene): LegendEntry[] {
  if (scene.layout.scale === "heat" && scene.heatMode === "attempts") return attemptsOf(scene);
  if (scene.layout.scale === "heat" && scene.heatMode === "difference") return differencesOf();
  const states = Object.entries(MEANINGS).flatMap(([key, meaning]) =>
    scene.occurring.has(Number(key) as PodState)
      ? [{ key: `state-${key}`, label: STATE_WORDS[Number(key) as PodState], meaning }]
      : [],
  );
  return [
    ...states,
    ...MARKS.filter(({ occurs }) => occurs(scene)).map(({ key, label, meaning }) => ({ key, label, meaning })),
  ];
}

function differencesOf(): LegendEntry[] {
  return Object.entries(DIFFERENCE_WORDS).map(([key, [label, meaning]]) => ({
    key: `difference-${key}`,
    label,
    meaning,
  }));
}

/** The meaning of the squares while they count attempts. */
function attemptsOf({ palette }: Scene): LegendEntry[] {
  const most = palette.attempts.length - 1;
  return palette.attempts.map((_, count) => {
    const label =
      count === 0 ? "No pod yet" : `${count}${count === most ? " or more" : ""} attempt${count === 1 ? "" : "s"}`;
    return { key: `attempts-${count}`, label, meaning: "So many pods were created for the index until now." };
  });
}

export function drawSwatchOn(
  surface: Surface,
  scene: Scene,
  key: string,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const { palette } = scene;
  const place = { y, height };
  if (key.startsWith("state-")) {
    const state = Number(key.slice("state-".length)) as PodState;
    const isEnd = state >= PodState.SUCCEEDED;
    if (isEnd) drawCap(surface, scene, state, x, width, place);
    else drawState(surface, scene, state, x, width, place, [2, 2]);
    return;
  }
  if (key.startsWith("attempts-")) {
    surface.rect(x, y, width, height, palette.attempts[Number(key.slice("attempts-".length))]!, 2);
    return;
  }
  if (key.startsWith("difference-")) {
    surface.rect(x, y, width, height, differenceColours(palette)[Number(key.slice("difference-".length))]!, 2);
    return;
  }
  const middle = y + height / 2;
  if (key === "gap") {
    surface.rect(x, y, width, height, palette.gap);
    surface.pattern(x, y, width, height, "rising", palette.gapInk);
    surface.frame(x + 0.5, y + 0.5, width - 1, height - 1, palette.gapInk);
  } else if (key === "decision") {
    const size = height * 0.42;
    const at = x + width / 2;
    surface.shape(
      [at - size, middle, at, middle - size, at + size, middle, at, middle + size],
      toneColour(palette, "goes-on"),
    );
  } else if (key === "flag") {
    const right = x + width;
    surface.shape([x, y, right, y, right - 4, middle, right, y + height, x, y + height], palette.flag);
  } else if (key === "load") {
    surface.rect(x, y + height * 0.7, width, height * 0.3, palette.load);
    surface.rect(x + width / 2, y + height * 0.3, width / 2, height * 0.7, palette.load);
  } else if (key === "overview") {
    surface.rect(x, y, width, height * 0.55, palette.states[PodState.READY]!.fill);
    for (const share of [0.1, 0.3, 0.8])
      surface.rect(x + width * share, y + height * 0.7, 1.5, height * 0.3, palette.decision);
  } else if (key === "cordoned") drawCordoned(surface, palette, x, y, width, height);
  else if (key === "fold") {
    surface.rect(x, y, width, height, palette.fold);
    surface.text(x + width / 2, middle, "≋", { size: height, colour: palette.text, align: "center", isBold: true });
  } else surface.rect(x, middle - 1.5, width, 3, palette.ghost);
}
