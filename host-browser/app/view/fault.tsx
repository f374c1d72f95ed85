/**
 * Something that went wrong, as an alert. Leaves out, until it is asked for, an object that the API server quotes: what
 * is wrong with it comes last, behind all its lines.
 */

/** A shorter text is read as it is. */
const LONG = 240;
const QUOTED = /Invalid value: [{[][\s\S]*?[}\]]: (?=[^:{}]+(?:\n|$))/g;

export function Fault({ text }: { readonly text: string }) {
  const short = text.length > LONG ? text.replace(QUOTED, "") : text;
  return (
    <div class="fault" role="alert">
      {short}
      {short !== text && (
        <details>
          <summary>The whole answer</summary>
          {text}
        </details>
      )}
    </div>
  );
}
