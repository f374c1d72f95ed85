/** What opens over the page: the keys, sharing, export and import. Each is a <dialog>, which keeps the focus inside. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { KEY_TEXTS } from "../key-texts.ts";
import { KEYS } from "../keys.ts";
import type { Dialog } from "../playground.ts";
import { usePlayground } from "./context.ts";
import { giveFocusBack } from "./focus.ts";
import { Icon } from "./icons.tsx";
import { Export, Import } from "./files.tsx";
import { lazyComponent, useFetched } from "./lazy-component.tsx";
import { Share } from "./share.tsx";

const Door = lazyComponent(async () => (await import("../door-page.ts")).Door);

export function Dialogs() {
  const { dialog, trouble } = usePlayground();
  useFetched(Door, dialog.value === "door", (error) => {
    dialog.value = undefined;
    trouble.value = `The code that explains texts cannot be loaded: ${String(error)}`;
  });
  switch (dialog.value) {
    case "help":
      return (
        <Sheet key={dialog.value} name={dialog.value} title="Keys">
          <Help />
        </Sheet>
      );
    case "share":
      return (
        <Sheet key={dialog.value} name={dialog.value} title="Share">
          <Share />
        </Sheet>
      );
    case "export":
      return (
        <Sheet key={dialog.value} name={dialog.value} title="Export">
          <Export />
        </Sheet>
      );
    case "import":
      return (
        <Sheet key={dialog.value} name={dialog.value} title="Import">
          <Import />
        </Sheet>
      );
    case "door":
      return (
        <Sheet key={dialog.value} name={dialog.value} title="What happened to your Job?">
          <Door />
        </Sheet>
      );
    case undefined:
      return null;
  }
}

interface SheetProps {
  readonly name: Dialog;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Sheet({ name, title, children }: SheetProps) {
  const { dialog } = usePlayground();
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const sheet = box.current!;
    sheet.showModal();
    return () => {
      // No element outside of an open dialog can have the focus.
      sheet.close();
      giveFocusBack(before);
    };
  }, []);
  const closed = (): void => {
    // Another one may be open by now.
    if (dialog.peek() === name) dialog.value = undefined;
  };
  return (
    <dialog ref={box} class="sheet" aria-labelledby="sheet-title" onClose={closed}>
      <div class="sheet-head">
        <h2 id="sheet-title">{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => (dialog.value = undefined)}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  " ": "space",
  "ArrowLeft": "←",
  "ArrowRight": "→",
  "Shift+ArrowLeft": "Shift ←",
  "Shift+ArrowRight": "Shift →",
  "Escape": "Esc",
};

function Help() {
  return (
    <>
      <table class="keys">
        <tbody>
          {KEY_TEXTS.map(([command, text]) => (
            <tr key={command}>
              <th scope="row">
                {KEYS[command].map((key) => (
                  <kbd key={key}>{KEY_NAMES[key] ?? key}</kbd>
                ))}
              </th>
              <td>{text}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <kbd>↑</kbd>
              <kbd>↓</kbd>
            </th>
            <td>in the picture: choose a row; then ← and → go along it, and Enter says why</td>
          </tr>
        </tbody>
      </table>
      <p>
        The same engine and API server as in production run in this page, on simulated time. Nothing leaves your
        browser. <a href="decisions.html">All decisions of the controller, explained</a>.
      </p>
    </>
  );
}
