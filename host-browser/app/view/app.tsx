/** The page as a whole: its layout, and what is left out when it is embedded. */
import { useEffect } from "preact/hooks";
import { takeDrops } from "../drop.ts";
import { runKey } from "../key-commands.ts";
import type { Playground } from "../playground.ts";
import { loadStyle } from "../style-sheet.ts";
import { nextTask } from "../tasks.ts";
import { Catalogue, Incidents } from "./catalogue.tsx";
import { PlaygroundContext } from "./context.ts";
import { Embedded } from "./embedded.tsx";
import { Header } from "./header.tsx";
import { Hero } from "./hero.tsx";
import { lazyComponent } from "./lazy-component.tsx";
import { IncidentText, LessonText } from "./lesson-text.tsx";
import { Sentence } from "./sentence.tsx";
import { Legend, PictureTable, PictureTools, Reader, Stage } from "./stage.tsx";
import { Transport } from "./transport.tsx";
import { useNow } from "./use-now.ts";

const Panels = lazyComponent(async () => (await import("../lazy-page.ts")).Panels);
const Workbench = lazyComponent(async () => (await import("../lazy-page.ts")).Workbench);
const Dialogs = lazyComponent(async () => (await import("../lazy-page.ts")).Dialogs);
const BreakMenu = lazyComponent(async () => (await import("../lazy-page.ts")).BreakMenu);

/** Fetches what the first picture does not need. Each part loads in its own task, so frames are drawn in between. */
export async function fetchTheRest(): Promise<void> {
  await loadStyle("rest.css");
  for (const part of [
    Reader,
    Legend,
    Panels,
    PictureTools,
    Workbench,
    PictureTable,
    Dialogs,
    BreakMenu,
    Incidents,
    IncidentText,
  ]) {
    await part.fetch();
    await nextTask();
  }
}

export function App({ playground }: { readonly playground: Playground }) {
  const { settings } = playground;
  useNow(() => {
    const root = document.documentElement;
    root.dataset["theme"] = settings.theme.value;
    root.dataset["type"] = settings.isLarge.value ? "large" : "normal";
    root.dataset["embed"] = settings.isEmbedded ? "1" : "0";
  });
  useNow(() => {
    document.title = `${playground.title.value} – Stint playground`;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (runKey(playground, event)) event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [playground]);
  useEffect(() => takeDrops(playground, document), [playground]);
  return (
    <PlaygroundContext.Provider value={playground}>
      {settings.isEmbedded ? (
        <Embedded>
          <BreakMenu />
        </Embedded>
      ) : (
        <Whole />
      )}
      <div class="unseen" role="status" aria-live="polite">
        {playground.announcement}
      </div>
    </PlaygroundContext.Provider>
  );
}

function Whole() {
  return (
    <>
      <a class="skip" href="#picture" onClick={skip}>
        To the picture
      </a>
      <Header />
      <Hero />
      <div class="columns">
        <Catalogue />
        <main>
          <div class="scene">
            <div class="scroll">
              <LessonText />
              <Stage />
            </div>
            <Transport />
          </div>
          <div class="side">
            <Sentence />
            <Panels />
            <Workbench />
          </div>
          <BreakMenu />
        </main>
      </div>
      <Dialogs />
    </>
  );
}

/** The address is the page's state: a fragment of another kind would replace it. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("canvas.canvas")?.focus();
}
