/**
 * Keeps the picture in sync with the page's state: the run and the one before, the playhead, the settings, the theme.
 *
 * Invariant: a change reaches the picture at once, and requests a frame. Leaves out zoom, focus and the cursor, which
 * the picture keeps.
 */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { usePlayground } from "./context.ts";
import { useNow } from "./use-now.ts";

/** The words of the picture are updated when nothing has moved for this time. */
const WORDS_DELAY_MS = 500;

/** @param request asks for a frame */
export function usePictureState(request: () => void): void {
  const { picture, playhead, selection, session, settings } = usePlayground();
  useNow(() => {
    const made = picture.value;
    const branch = session.branch.value;
    if (made === undefined || branch === undefined) return;
    made.setTimeline(branch.timeline, session.ghost.value?.timeline);
  });
  useNow(() => {
    const made = picture.value;
    const { atMs, isLive, isPlaying } = playhead;
    void [session.revision.value, isPlaying.value];
    made?.setPlayhead(atMs.value, isLive.value && session.mode.value !== "finished");
    request();
  });
  useNow(() => {
    void session.branch.value;
    picture.value?.setMarked(selection.pod.value);
    request();
  });
  useNow(() => {
    const made = picture.value;
    const { theme, isLarge, hasNodes } = settings;
    const isDark = theme.value === "dark" || (theme.value === "auto" && darkQuery().matches);
    made?.setTheme(isDark ? "dark" : "light");
    made?.setStripOpen(hasNodes.value);
    made?.setHeatMode(selection.heatMode.value);
    made?.setTypeScale(isLarge.value ? 1.4 : 1);
    request();
  });
  useEffect(() => {
    const query = darkQuery();
    const listen = (): void => {
      if (settings.theme.value !== "auto") return;
      picture.value?.setTheme(query.matches ? "dark" : "light");
      request();
    };
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  }, []);
}

/** @returns the picture in one sentence, and a function that updates it before the playhead has stopped */
export function usePictureWords(): { readonly summary: ReadonlySignal<string>; readonly sayWords: () => void } {
  const { picture, playhead, session } = usePlayground();
  const summary = useSignal("");
  const sayWords = (): void => void (summary.value = picture.peek()?.summary() ?? "");
  useNow(() => {
    const made = picture.value;
    void [playhead.atMs.value, session.revision.value];
    if (made === undefined) return undefined;
    const timer = setTimeout(sayWords, WORDS_DELAY_MS);
    return () => clearTimeout(timer);
  });
  return { summary, sayWords };
}

function darkQuery(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
