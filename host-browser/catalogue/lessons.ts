/** All lessons in their order. This is a separate bundle: the page loads it after the first picture. */
import { FIRST_LESSON } from "./first-lesson.ts";
import type { Lesson } from "./lesson.ts";
import { BEGIN } from "./lessons-begin.ts";
import { END } from "./lessons-end.ts";
import { FAIL } from "./lessons-fail.ts";
import { SHARE } from "./lessons-share.ts";
import { WAIT } from "./lessons-wait.ts";
import { WORLD } from "./lessons-world.ts";

export const LESSONS: readonly Lesson[] = [FIRST_LESSON, ...BEGIN, ...SHARE, ...FAIL, ...WORLD, ...WAIT, ...END];
