/** The list of lessons, and of incidents: a column beside the picture, or a drawer in narrow windows. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { GROUPS, type Lesson } from "../../catalogue/index.ts";
import { usePlayground } from "./context.ts";
import { Icon } from "./icons.tsx";
import { lazyComponent } from "./lazy-component.tsx";

export const Incidents = lazyComponent(async () => (await import("../lazy-page.ts")).Incidents);

export function Catalogue() {
  const playground = usePlayground();
  const { isCatalogueOpen, lessons } = playground;
  const box = useRef<HTMLElement>(null);
  const isOpen = isCatalogueOpen.value;
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    box.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
    return () => {
      const { activeElement } = document;
      // The drawer is removed, and the focused element with it.
      if (activeElement === document.body || box.current?.contains(activeElement) === true)
        document.querySelector<HTMLElement>(".lessons-button")?.focus();
    };
  }, [isOpen]);
  return (
    <>
      {isOpen && <div class="scrim" onClick={() => (isCatalogueOpen.value = false)} />}
      <nav ref={box} id="catalogue" class={isOpen ? "catalogue is-open" : "catalogue"} aria-label="Lessons">
        <button type="button" class="quiet close" aria-label="Close" onClick={() => (isCatalogueOpen.value = false)}>
          <Icon name="close" />
        </button>
        {lessons.value.length === 0 && <p class="soft">The lessons are on their way…</p>}
        {GROUPS.map((group) => (
          <Group key={group} title={group} lessons={lessons.value.filter((lesson) => lesson.group === group)} />
        ))}
        <Incidents />
      </nav>
    </>
  );
}

function Group({ title, lessons }: { readonly title: string; readonly lessons: readonly Lesson[] }) {
  const playground = usePlayground();
  if (lessons.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {lessons.map((lesson) => (
          <li key={lesson.id}>
            <button
              type="button"
              aria-current={lesson.id === playground.lesson.value?.id ? "true" : undefined}
              onClick={() => playground.openLesson(lesson)}
            >
              {lesson.title}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
