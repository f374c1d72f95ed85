/** The page's few icons, as paths that take the colour of their text. They say nothing to a screen reader. */

const PATHS = {
  play: "M5 3.5v13l11-6.5z",
  pause: "M5 3.5h3.6v13H5zM11.4 3.5H15v13h-3.6z",
  start: "M4 3.5h2.4v13H4zM16.5 3.5v13L7.6 10z",
  end: "M13.6 3.5H16v13h-2.4zM3.5 3.5v13l8.9-6.5z",
  previous: "M12.8 4 6.6 10l6.2 6 1.5-1.5L9.6 10l4.7-4.5z",
  next: "M7.2 4l6.2 6-6.2 6-1.5-1.5L10.4 10 5.7 5.5z",
  event: "M10 2.5 17.5 10 10 17.5 2.5 10z",
  bolt: "M11.5 2 4.5 11.5h4.3L8 18l7.5-10h-4.6z",
  menu: "M3 5h14v1.7H3zM3 9.2h14v1.7H3zM3 13.4h14v1.7H3z",
  close: "m5.2 4 4.8 4.8L14.8 4 16 5.2 11.2 10l4.8 4.8-1.2 1.2-4.8-4.8L5.2 16 4 14.8 8.8 10 4 5.2z",
  link: "M7.5 12.5 6 14a2.1 2.1 0 0 1-3-3l3-3a2.1 2.1 0 0 1 3 0l1.2-1.2a3.8 3.8 0 0 0-5.4 0l-3 3a3.8 3.8 0 0 0 5.4 5.4l1.5-1.5zM12.5 7.5 14 6a2.1 2.1 0 0 1 3 3l-3 3a2.1 2.1 0 0 1-3 0l-1.2 1.2a3.8 3.8 0 0 0 5.4 0l3-3a3.8 3.8 0 0 0-5.4-5.4l-1.5 1.5z",
  theme: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zm0 1.8v11.4a5.7 5.7 0 0 1 0-11.4z",
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="currentColor" />
    </svg>
  );
}
