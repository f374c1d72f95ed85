/** Sharing: the whole state is in the address, with the engine that made the run, and the run's digest. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressOf, isLong } from "../address.ts";
import { DownloadRun, LongAddress } from "./address-notice.tsx";
import { usePlayground } from "./context.ts";

export function Share() {
  const playground = usePlayground();
  /** Undefined: there is none. */
  const address = useSignal<string | undefined>("");
  const isCopied = useSignal(false);
  const isRecording = playground.session.branch.value?.recording !== undefined;
  const place = `${location.origin}${location.pathname}`;
  useEffect(() => {
    void addressOf(playground).then((text) => (address.value = text));
  }, []);
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = true;
    } catch {
      // Where the clipboard is forbidden, the user can copy the text from its field.
      isCopied.value = false;
    }
  };
  if (address.value === undefined) return <TooLarge />;
  const whole = `${place}${address.value}`;
  return (
    <>
      <p>
        The address has {isRecording ? "the recording" : "everything: the Job, the world, what was done to it"}, and the
        instant. Nothing is uploaded.
      </p>
      <Field label="Address of this page" text={whole} onCopy={copy} />
      <Field
        label="Picture and transport only, for a blog or a slide"
        text={`${place}?embed=1${address.value}`}
        onCopy={copy}
      />
      {isLong(whole.length) && (
        <p class="fault">
          <LongAddress length={whole.length} />
        </p>
      )}
      <p class="choices">
        <button type="button" onClick={() => (playground.dialog.value = "export")}>
          Export a file
        </button>
        <button type="button" onClick={() => (playground.dialog.value = "import")}>
          Import a file
        </button>
      </p>
      <Run />
      <p role="status" class="soft">
        {isCopied.value ? "Copied." : ""}
      </p>
    </>
  );
}

/** A recording that no address can hold. */
function TooLarge() {
  return (
    <p>
      This recording is too large for an address. Send its file instead; “Import” opens it. <DownloadRun />
    </p>
  );
}

/** What the shared address says of the run, so that the person who opens it can check that the run is the same. */
function Run() {
  const { session } = usePlayground();
  const branch = session.branch.value;
  const hasDigest = session.mode.value === "finished" && branch?.recording === undefined;
  return (
    <p class="soft small run">
      Engine {session.engineVersion}
      {hasDigest && (
        <>
          ; digest of this run: <code>{branch?.digest}</code>
        </>
      )}
    </p>
  );
}

interface FieldProps {
  readonly label: string;
  readonly text: string;
  readonly onCopy: (text: string) => Promise<void>;
}

function Field({ label, text, onCopy }: FieldProps) {
  return (
    <label class="field">
      {label}
      <span>
        <input type="text" readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" class="chip" onClick={() => void onCopy(text)}>
          Copy
        </button>
      </span>
    </label>
  );
}
