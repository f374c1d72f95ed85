/**
 * The catalogue of lessons. The first one is there at once, because the page opens with it; the others are a separate
 * bundle, which is loaded after the first picture.
 */
import { FIRST_LESSON } from "./first-lesson.ts";
import type { Lesson } from "./lesson.ts";

export { FIRST_LESSON };
export { type Bookmark, GROUPS, type Group, type Lesson } from "./lesson.ts";

/** All lessons in their order, the first one too. */
export async function loadLessons(): Promise<readonly Lesson[]> {
  const { LESSONS } = await import("./lessons.ts");
  return LESSONS;
}
