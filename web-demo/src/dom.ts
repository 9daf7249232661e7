import { messageOf } from './format';

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

/** A new button that calls `onClick`. */
export function makeButton(
  className: string,
  text: string,
  onClick: () => void,
): HTMLButtonElement {
  const button = make('button', className, text);
  button.type = 'button';
  button.addEventListener('click', onClick);
  return button;
}

/** Fills `#picks-KIND` with a button for each choice. */
export function fillPicks(
  kind: string,
  picks: readonly { readonly label: string; readonly text: string }[],
  onPick: (text: string) => void,
): void {
  const buttons = picks.map(({ label, text }) => makeButton('pick', label, () => onPick(text)));
  byId(`picks-${kind}`, HTMLDivElement).replaceChildren(...buttons);
}

/** A row of a table: its head, with a small note if there is one, and its other cells. */
export function makeRow(
  head: string | Node,
  note: string,
  cells: readonly (string | Node)[],
): HTMLTableRowElement {
  const row = make('tr');
  const first = make('th');
  first.scope = 'row';
  first.append(head);
  if (note) first.append(make('small', '', note));
  row.append(first);
  for (const cell of cells) row.insertCell().append(cell);
  return row;
}

/** A bar of that share of the width. */
export function makeBar(className: string, share: number): HTMLSpanElement {
  const bar = make('span', `bar ${className}`);
  bar.style.width = `${100 * share}%`;
  return bar;
}

/** Shows that the page itself failed. */
export function showTrouble(error: unknown): void {
  const trouble = byId('trouble', HTMLParagraphElement);
  trouble.hidden = false;
  trouble.textContent = messageOf(error);
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

/** The button of that id copies `text()`, and confirms that on itself for a moment. */
export function copyButton(id: string, text: () => string): void {
  const button = byId(id, HTMLButtonElement);
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

/** The button of that id copies the text of an element. */
export const copyTextButton = (id: string, source: HTMLElement): void =>
  copyButton(id, () => source.textContent ?? '');

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
 * Announces changes in each section to screen readers, starting with the first key or press in it. Text that the page
 * fills in by itself is not announced: a screen reader reads it in its place.
 */
export function announceFromNowOn(): void {
  for (const section of document.querySelectorAll('section')) {
    const start = new AbortController();
    const listen = (): void => {
      start.abort();
      for (const note of section.querySelectorAll('[data-status]'))
        note.setAttribute('role', 'status');
    };
    for (const event of ['keydown', 'pointerdown', 'input', 'drop']) {
      section.addEventListener(event, listen, { capture: true, signal: start.signal });
    }
  }
}
