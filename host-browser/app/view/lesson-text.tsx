/**
 * What is over the picture: the lesson with two sentences, a question and three instants that are worth looking at; or
 * an incident; or that the Job is the reader's own.
 */
import type { Lesson } from "../../catalogue/index.ts";
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { usePlayground } from "./context.ts";
import { giveFocusBack } from "./focus.ts";
import { Icon } from "./icons.tsx";
import { lazyComponent } from "./lazy-component.tsx";

export const IncidentText = lazyComponent(async () => (await import("../lazy-page.ts")).IncidentText);
export const AnswerText = lazyComponent(async () => (await import("../door-page.ts")).AnswerText);

export function LessonText() {
  const playground = usePlayground();
  const lesson = playground.taught.value;
  const count = playground.bookmarks.value.length;
  const countBefore = useRef(count);
  useLayoutEffect(() => {
    // A bookmark may have had the focus when the reader changed the run before it.
    if (count < countBefore.current && document.activeElement === document.body)
      giveFocusBack(document.querySelector(".bookmarks li:last-child button"));
    countBefore.current = count;
  }, [count]);
  if (lesson === undefined) return <WithoutLesson />;
  return (
    <section class="lesson" aria-labelledby="lesson-title">
      <div class="lesson-head">
        <h2 id="lesson-title">{lesson.title}</h2>
        <Pages lesson={lesson} />
      </div>
      <p class="lesson-text">{lesson.text}</p>
      <Question key={lesson.id} question={lesson.question} answer={lesson.answer} />
      {count > 0 && <Bookmarks />}
    </section>
  );
}

function Pages({ lesson }: { readonly lesson: Lesson }) {
  const playground = usePlayground();
  const lessons = playground.lessons.value;
  const at = lessons.findIndex(({ id }) => id === lesson.id);
  return (
    <nav class="pages" aria-label="Lessons in their order">
      <button
        type="button"
        class="quiet"
        aria-disabled={at <= 0}
        onClick={() => playground.turnPage(-1)}
        title="The lesson before"
      >
        <Icon name="previous" /> Back
      </button>
      <button
        type="button"
        class="quiet"
        aria-disabled={at < 0 || at === lessons.length - 1}
        onClick={() => playground.turnPage(1)}
        title="The lesson after"
      >
        Next <Icon name="next" />
      </button>
    </nav>
  );
}

function WithoutLesson() {
  const { explained, incident } = usePlayground();
  if (incident.value !== undefined) return <IncidentText />;
  return explained.value === undefined ? <OwnScenario /> : <AnswerText />;
}

function OwnScenario() {
  const playground = usePlayground();
  const lesson = playground.lesson.value;
  return (
    <section class="lesson" aria-labelledby="lesson-title">
      <div class="lesson-head">
        <h2 id="lesson-title">{playground.title}</h2>
        {lesson !== undefined && <Pages lesson={lesson} />}
      </div>
      {lesson !== undefined && (
        <p class="lesson-text">
          It began as the lesson “{lesson.title}”.{" "}
          <button type="button" class="link" onClick={() => playground.showLesson(lesson)}>
            Show the lesson as it was written
          </button>
        </p>
      )}
    </section>
  );
}

function Question({ question, answer }: { readonly question: string; readonly answer: string }) {
  const isOpen = useSignal(false);
  useEffect(() => {
    isOpen.value = false;
  }, [question]);
  return (
    <div class="question">
      <p>
        <span class="label">Before you look</span> {question}{" "}
        <button type="button" class="link" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? "Hide the answer" : "Show the answer"}
        </button>
      </p>
      {isOpen.value && (
        <p class="answer" role="status">
          {answer}
        </p>
      )}
    </div>
  );
}

function Bookmarks() {
  const playground = usePlayground();
  const { bookmarks, playhead } = playground;
  const present = useComputed(() => bookmarks.value.findIndex(({ atMs }) => Math.abs(playhead.atMs.value - atMs) < 1));
  return (
    <ol class="bookmarks" aria-label="Instants to look at">
      {bookmarks.value.map((bookmark, i) => (
        <li key={bookmark.atMs}>
          <button
            type="button"
            class="chip"
            aria-current={present.value === i ? "true" : undefined}
            onClick={() => playground.goTo(bookmark)}
          >
            {bookmark.label}
            {playhead.aheadMs.value === bookmark.atMs && " · waits for the simulation"}
          </button>
        </li>
      ))}
    </ol>
  );
}
