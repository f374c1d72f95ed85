/** A lesson as it was written, as an address that people can read: `#lesson/one-fails`, and where in it. */
import { SharedDataError } from "./fields.ts";
import { type Place, placeText, readPlace } from "./place.ts";

const LESSON = /^#?lesson\/([a-z0-9-]{1,80})(?:\?(.*))?$/s;
const PREFIX = /^#?lesson\//;

export function lessonAddress(id: string, place: Place = {}): string {
  return `#lesson/${id}${placeText(place)}`;
}

/** @returns undefined: the fragment names none. @throws SharedDataError with the sentence for the page */
export function readLessonAddress(fragment: string): { readonly id: string; readonly place: Place } | undefined {
  if (!PREFIX.test(fragment)) return undefined;
  const [, id, place = ""] = LESSON.exec(fragment) ?? [];
  if (id === undefined) throw new SharedDataError("the address does not name a lesson");
  return { id, place: readPlace(place) };
}
