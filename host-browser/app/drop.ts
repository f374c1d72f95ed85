/** What a user drops on the page goes through the door, and never replaces the page. */
import type { Playground } from "./playground.ts";

/** @returns stops it */
export function takeDrops(playground: Playground, page: Document): () => void {
  const over = (event: DragEvent): void => {
    if (isForPage(event)) event.preventDefault();
  };
  const drop = (event: DragEvent): void => {
    const { dataTransfer: dropped } = event;
    if (dropped === null || !isForPage(event)) return;
    event.preventDefault();
    const [file] = dropped.files;
    playground.offer(file ?? dropped.getData("text/plain"));
  };
  page.addEventListener("dragover", over);
  page.addEventListener("drop", drop);
  return () => {
    page.removeEventListener("dragover", over);
    page.removeEventListener("drop", drop);
  };
}

/** Files, and text that is not dropped where text can be written. */
function isForPage({ dataTransfer, target }: DragEvent): boolean {
  const types = dataTransfer?.types ?? [];
  if (types.includes("Files")) return true;
  const isField = target instanceof Element && target.closest("input, textarea, [contenteditable=true]") !== null;
  return types.includes("text/plain") && !isField;
}
