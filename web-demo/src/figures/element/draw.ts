// Draws a scene into an SVG element. Marks keep their elements from step to step, so that CSS moves them.
import type { Mark, Scene } from '../shared/model';

const SVG = 'http://www.w3.org/2000/svg';

/** An element for a part of a mark. The mark's earlier element is used again, so that its colours change softly. */
function part<K extends 'rect' | 'text' | 'path'>(
  group: SVGGElement,
  tag: K,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[K] {
  const old = group.querySelector<SVGElementTagNameMap[K]>(tag);
  const made = old ?? document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (!old) group.append(made);
  return made;
}

function drawCell(group: SVGGElement, mark: Extract<Mark, { kind: 'cell' }>): void {
  const { x, y, width, height, text } = mark;
  group.style.transform = `translate(${x}px, ${y}px)`;
  part(group, 'rect', { width, height, rx: Math.min(3, width / 5) });
  if (text === undefined) group.querySelector('text')?.remove();
  else part(group, 'text', { x: width / 2, y: height / 2, class: 'inside' }).textContent = text;
}

function drawText(group: SVGGElement, mark: Extract<Mark, { kind: 'text' }>): void {
  const { x, y, text, anchor = 'start', bold = false, mono = false, size } = mark;
  group.style.transform = `translate(${x}px, ${y}px)`;
  const look = { 'text-anchor': anchor, class: `${bold ? 'bold' : 'plain'}${mono ? ' mono' : ''}` };
  const words = part(group, 'text', look);
  words.style.fontSize = size === undefined ? '' : `${size}px`;
  words.textContent = text;
}

function drawPath(group: SVGGElement, mark: Extract<Mark, { kind: 'path' }>): void {
  const { d, x = 0, y = 0 } = mark;
  group.style.transform = `translate(${x}px, ${y}px)`;
  part(group, 'path', { d });
}

function drawMark(group: SVGGElement, mark: Mark): void {
  const filled = mark.kind === 'path' && mark.filled ? ' filled' : '';
  group.setAttribute('class', `${mark.kind} tone-${mark.tone ?? 'plain'}${filled}`);
  if (mark.kind === 'cell') drawCell(group, mark);
  else if (mark.kind === 'text') drawText(group, mark);
  else drawPath(group, mark);
}

/** Changes the drawing into `scene`. */
export function drawScene(svg: SVGSVGElement, scene: Scene, width: number): void {
  svg.setAttribute('viewBox', `0 0 ${width} ${scene.height}`);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(scene.height));
  const old = new Map<string, SVGGElement>();
  for (const child of svg.children) {
    if (child instanceof SVGGElement) old.set(child.dataset.key ?? '', child);
  }
  const groups = scene.marks.map((mark) => {
    const group = old.get(mark.key) ?? document.createElementNS(SVG, 'g');
    old.delete(mark.key);
    group.dataset.key = mark.key;
    drawMark(group, mark);
    return group;
  });
  for (const gone of old.values()) gone.remove();
  // Elements that are already in their order are not touched, because a move would end their transition.
  groups.forEach((group, i) => {
    if (svg.children[i] !== group) svg.insertBefore(group, svg.children[i] ?? null);
  });
}
