// Draws a scene into an SVG element. Marks keep their elements from step to step, so that CSS moves them.
import type { Mark, Scene } from './model';

const SVG = 'http://www.w3.org/2000/svg';

function makeSvg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

function drawCell(group: SVGGElement, mark: Extract<Mark, { kind: 'cell' }>): void {
  const { x, y, width, height, text } = mark;
  group.style.transform = `translate(${x}px, ${y}px)`;
  const radius = Math.min(3, width / 5);
  const parts: SVGElement[] = [makeSvg('rect', { width, height, rx: radius })];
  if (text !== undefined) {
    const label = makeSvg('text', { x: width / 2, y: height / 2, class: 'inside' });
    label.textContent = text;
    parts.push(label);
  }
  group.replaceChildren(...parts);
}

function drawText(group: SVGGElement, mark: Extract<Mark, { kind: 'text' }>): void {
  const { x, y, text, anchor = 'start', bold = false } = mark;
  group.style.transform = `translate(${x}px, ${y}px)`;
  const label = makeSvg('text', { 'text-anchor': anchor, class: bold ? 'bold' : 'plain' });
  label.textContent = text;
  group.replaceChildren(label);
}

function drawMark(group: SVGGElement, mark: Mark): void {
  const filled = mark.kind === 'path' && mark.filled ? ' filled' : '';
  group.setAttribute('class', `${mark.kind} tone-${mark.tone ?? 'plain'}${filled}`);
  if (mark.kind === 'cell') drawCell(group, mark);
  else if (mark.kind === 'text') drawText(group, mark);
  else group.replaceChildren(makeSvg('path', { d: mark.d }));
}

/** Brings the drawing to `scene`. */
export function drawScene(svg: SVGSVGElement, scene: Scene, width: number): void {
  svg.setAttribute('viewBox', `0 0 ${width} ${scene.height}`);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(scene.height));
  const old = new Map<string, SVGGElement>();
  for (const child of svg.children) {
    if (child instanceof SVGGElement) old.set(child.dataset.key ?? '', child);
  }
  const groups = scene.marks.map((mark) => {
    const group = old.get(mark.key) ?? makeSvg('g');
    old.delete(mark.key);
    group.dataset.key = mark.key;
    drawMark(group, mark);
    return group;
  });
  for (const gone of old.values()) gone.remove();
  // Elements that stand in their order already are not touched: moving one would end its transition.
  groups.forEach((group, i) => {
    if (svg.children[i] !== group) svg.insertBefore(group, svg.children[i] ?? null);
  });
}
