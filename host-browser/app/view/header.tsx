/** The bar on top: the name, the button for the lessons, and controls of the whole page. */
import { useComputed } from "@preact/signals";
import type { Dialog } from "../playground.ts";
import { usePlayground } from "./context.ts";
import { Icon } from "./icons.tsx";

const THEME_TEXT = { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" } as const;

export function Header() {
  const playground = usePlayground();
  const { settings, isCatalogueOpen } = playground;
  const theme = useComputed(() => THEME_TEXT[settings.theme.value]);
  return (
    <header class="bar">
      <button
        type="button"
        class="quiet lessons-button"
        aria-expanded={isCatalogueOpen.value}
        aria-controls="catalogue"
        aria-label="Lessons"
        onClick={() => (isCatalogueOpen.value = !isCatalogueOpen.value)}
      >
        <Icon name="menu" /> <span>Lessons</span>
      </button>
      <h1>
        Stint <span>playground</span>
      </h1>
      <div class="bar-actions">
        <DialogButton dialog="door" label="Explain" name="Explain your Job" />
        <DialogButton dialog="import" label="Import" isSeldom />
        <DialogButton dialog="export" label="Export" isSeldom />
        <DialogButton dialog="share" label="Share" />
        <button
          type="button"
          class="quiet"
          aria-pressed={settings.isLarge.value}
          title="Large type, for projectors"
          aria-label="Large type"
          onClick={() => settings.toggleLarge()}
        >
          <span aria-hidden="true" class="letters">
            A<b>A</b>
          </span>
        </button>
        <button type="button" class="quiet" title={theme} aria-label={theme} onClick={() => settings.nextTheme()}>
          <Icon name="theme" />
        </button>
        <DialogButton dialog="help" label="?" name="Keys and help" />
      </div>
    </header>
  );
}

interface DialogButtonProps {
  readonly dialog: Dialog;
  readonly label: string;
  readonly name?: string;
  /** Left out on a phone. */
  readonly isSeldom?: boolean;
}

function DialogButton({ dialog, label, name, isSeldom }: DialogButtonProps) {
  const playground = usePlayground();
  return (
    <button
      type="button"
      class={isSeldom === true ? "quiet seldom" : "quiet"}
      aria-haspopup="dialog"
      aria-label={name ?? label}
      title={name ?? label}
      onClick={() => (playground.dialog.value = dialog)}
    >
      {label}
    </button>
  );
}
