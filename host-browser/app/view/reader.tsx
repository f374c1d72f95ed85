/** Lets the user read the picture and point at it. Loaded after the first picture; renders nothing. */
import type { ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Picture } from "../../picture/picture.ts";
import { READING } from "../../picture/reading.ts";
import { attachPointer, type PointerActions } from "./pointer.ts";

interface ReaderProps {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly picture: ReadonlySignal<Picture | undefined>;
  readonly actions: PointerActions;
  /** The picture can be read from now on. */
  readonly onReady: () => void;
}

export function Reader({ canvas, picture, actions, onReady }: ReaderProps) {
  const made = picture.value;
  useLayoutEffect(() => {
    if (made === undefined) return undefined;
    made.setReading(READING);
    onReady();
    return attachPointer(canvas.current!, made, actions);
  }, [made]);
  return null;
}
