/** The element with that id. A missing element is an error in the page. */
export function byId<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return found;
}

/** A new element with a class and text. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** The value of a custom property in the style sheet, for the current colour scheme. */
export function cssValue(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Calls `callback` when the visitor's colour scheme changes. */
export function onSchemeChange(callback: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', callback);
}

export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Runs `callback` once the calls have paused for `waitMs`. */
export function debounce(callback: () => void, waitMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(callback, waitMs);
  };
}

/** A button that copies `text()`, and confirms that on itself for a moment. */
export function copyButton(button: HTMLButtonElement, text: () => string): void {
  const label = button.textContent ?? '';
  const restore = debounce(() => {
    button.textContent = label;
  }, 2000);
  button.addEventListener('click', async () => {
    button.ariaLive = 'polite';
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    restore();
  });
}

/** One of several choices, as a pill to press. */
export function radioPill(
  group: string,
  { type, name }: { readonly type: string; readonly name: string },
  onChoose: () => void,
): HTMLLabelElement {
  const label = make('label', 'type');
  const radio = make('input');
  radio.type = 'radio';
  radio.name = group;
  radio.value = type;
  radio.addEventListener('change', onChoose);
  label.append(radio, name);
  return label;
}

/**
 * Announces changes in `root` to screen readers, starting with the first key or press in it. Text that the page fills
 * in by itself is not announced: a screen reader reads it in its place.
 */
export function announceFromNowOn(root: Element): void {
  const start = new AbortController();
  const listen = (): void => {
    start.abort();
    for (const note of root.querySelectorAll('[data-status]')) note.setAttribute('role', 'status');
  };
  for (const event of ['keydown', 'pointerdown', 'input', 'drop']) {
    root.addEventListener(event, listen, { capture: true, signal: start.signal });
  }
}
