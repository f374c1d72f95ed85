/** What colours and patterns mean, drawn as the picture draws them. */
import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LegendEntry, Picture } from "../../picture/picture.ts";
import { usePlayground } from "./context.ts";

const WIDTH = 26;
const HEIGHT = 12;

export function Legend({ picture }: { readonly picture: ReadonlySignal<Picture | undefined> }) {
  const { pace, selection, settings } = usePlayground();
  void [pace.beat.value, selection.heatMode.value];
  const made = picture.value;
  if (made === undefined) return null;
  return (
    <ul class="legend" aria-label="Legend">
      {made.legend().map((entry) => (
        <Entry key={`${entry.key} ${settings.theme.value}`} picture={made} entry={entry} />
      ))}
    </ul>
  );
}

function Entry({ picture, entry }: { readonly picture: Picture; readonly entry: LegendEntry }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => picture.drawSwatch(canvas.current!, entry.key, WIDTH, HEIGHT, devicePixelRatio), []);
  return (
    <li title={entry.meaning}>
      <canvas ref={canvas} width={WIDTH} height={HEIGHT} aria-hidden="true" /> {entry.label}
      <span class="unseen">: {entry.meaning}</span>
    </li>
  );
}
