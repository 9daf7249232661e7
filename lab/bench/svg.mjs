// The parts that all charts share: paper, title, key of the colours, and the colours of both themes.

import { DOMParser } from 'linkedom';

export const color = (name) => `var(--${name})`;

const STYLE = `
svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #e4e8ec;
  --once: #0757ba; --grows: #a8430a; --changes: #12702f; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --ink: #f0f6fc; --faint: #9aa4af; --grid: #262c34;
    --once: #6cb2ff; --grows: #ffa45c; --changes: #56d364; }
}
svg, svg text { font-family: system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }
`;

export const newDocument = () =>
  new DOMParser().parseFromString('<html><body></body></html>', 'text/html').defaultView.document;

function make(document, name, attributes, content = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = content;
  return element;
}

/** A line of text at a place, in a colour. */
export const write = (document, at, size, fill, content, more = {}) =>
  make(
    document,
    'text',
    {
      x: at[0],
      y: at[1],
      'font-size': size,
      fill: color(fill),
      'text-anchor': 'start',
      ...more,
    },
    content,
  );

/**
 * Returns the SVG document: paper, title, a note and the key of the colours before the drawing, and more lines of text.
 * @param {{ width: number, height: number, title: string, note: string, groups?: Record<string, string> }} words
 */
export function frame(document, svg, { width, height, title, note, groups = {} }, lines = []) {
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('role', 'img');
  const head = [
    make(document, 'title', {}, title),
    make(document, 'style', {}, STYLE),
    make(document, 'rect', { width, height, rx: 6, fill: color('paper') }),
    write(document, [16, 30], 18, 'ink', title, { 'font-weight': 600 }),
    write(document, [16, 52], 13, 'faint', note),
    ...lines,
  ];
  let left = 16;
  for (const [group, label] of Object.entries(groups)) {
    head.push(
      make(document, 'rect', {
        x: left,
        y: 68,
        width: 14,
        height: 4,
        rx: 2,
        fill: color(group),
      }),
      write(document, [left + 20, 75], 13, group, label, { 'font-weight': 600 }),
    );
    left += 44 + 7.5 * label.length;
  }
  svg.prepend(...head);
  return `${svg.outerHTML}\n`;
}
