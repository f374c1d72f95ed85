/** A style sheet that is fetched after the page: a link in its head, once. */

/** Rejects when it cannot be fetched; the next call tries again. */
export function loadStyle(file: string): Promise<void> {
  if (document.querySelector(`link[href="${file}"]`) !== null) return Promise.resolve();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = file;
  return new Promise((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${file} cannot be loaded`));
    };
    document.head.append(link);
  });
}
