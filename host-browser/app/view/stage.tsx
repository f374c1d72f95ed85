/**
 * The picture in the page: its canvas, the tip and the words beside it, and what is loaded after the first picture.
 * Leaves out everything that is drawn (picture/), what the picture shows (picture-state.ts) and what the pointer and
 * the keys do to it (stage-actions.ts).
 */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Hit } from "../../picture/picture.ts";
import { instantText } from "../time-text.ts";
import { useCanvasPicture } from "./canvas-picture.ts";
import { usePlayground } from "./context.ts";
import { lazyComponent } from "./lazy-component.tsx";
import { usePictureState, usePictureWords } from "./picture-state.ts";
import { type Acting, leaveRows, openMenu, pickHit, pointerActionsOf, pressKey } from "./stage-actions.ts";

export const Legend = lazyComponent(async () => (await import("../lazy-page.ts")).Legend);
export const Reader = lazyComponent(async () => (await import("../lazy-page.ts")).Reader);
export const PictureTools = lazyComponent(async () => (await import("../lazy-page.ts")).PictureTools);
export const PictureTable = lazyComponent(async () => (await import("../lazy-page.ts")).PictureTable);

export function Stage() {
  const playground = usePlayground();
  const { picture } = playground;
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useSignal<Hit | undefined>(undefined);
  const request = useCanvasPicture(canvas);
  usePictureState(request);
  const { summary, sayWords } = usePictureWords();
  const acting: Acting = { playground, canvas, hover, request };

  return (
    <section class="stage" id="picture" aria-label="The picture">
      <div class="tools-room">
        <PictureTools picture={picture} onChange={request} />
      </div>
      <div class="canvas-box">
        <canvas
          ref={canvas}
          class="canvas"
          tabIndex={0}
          role="img"
          aria-label={`${summary.value} Arrow up and down choose a row, then Enter says why, and b breaks it.`}
          aria-describedby="hover"
          onKeyDown={(event) => pressKey(acting, event)}
          onBlur={() => leaveRows(acting)}
        />
        {hover.value !== undefined && <Tip hit={hover.value} />}
        <Reader canvas={canvas} picture={picture} actions={pointerActionsOf(acting)} onReady={sayWords} />
      </div>
      <div class="legend-room">
        <Legend picture={picture} />
      </div>
      <PictureTable
        picture={picture}
        onPick={(hit) => pickHit(acting, hit)}
        onMenu={(thing, place) => openMenu(acting, thing, place)}
      />
    </section>
  );
}

function Tip({ hit }: { readonly hit: Hit }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = box.current!;
    const room = tip.parentElement!.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(hit.box.x, room))}px`;
    tip.style.top = `${hit.box.y + hit.box.height + 6}px`;
  }, [hit]);
  return (
    <div ref={box} id="hover" class="tip" role="tooltip">
      {hit.text} <span>{instantText(hit.atMs)}</span>
    </div>
  );
}
