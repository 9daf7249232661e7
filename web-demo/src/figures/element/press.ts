// Cells that the reader can press by mouse, by finger and by keyboard. One of them is the stop of the Tab key.
import type { Mark, Scene } from '../shared/model';

type Cell = Extract<Mark, { kind: 'cell' }>;
type Pressable = Cell & Required<Pick<Cell, 'press'>>;

/** A press at this distance from a cell counts as one on it, because a finger is wider than a cell. */
const REACH = 8;

const isPressable = (mark: Mark): mark is Pressable =>
  mark.kind === 'cell' && mark.press !== undefined;

/** The distance of a point from a cell, 0 inside it. */
function distanceFrom({ x, y, width, height }: Cell, px: number, py: number): number {
  const dx = Math.max(x - px, 0, px - x - width);
  const dy = Math.max(y - py, 0, py - y - height);
  return Math.max(dx, dy);
}

/** The cell to which an arrow key leads from `from`, if there is one. */
function neighbourOf(
  cells: readonly Pressable[],
  from: Pressable,
  key: string,
): Pressable | undefined {
  const at = cells.indexOf(from);
  const column = cells.filter(({ x }) => Math.abs(x - from.x) < 1);
  const inColumn = column.indexOf(from);
  return {
    ArrowRight: cells[at + 1],
    ArrowLeft: cells[at - 1],
    ArrowDown: column[inColumn + 1],
    ArrowUp: column[inColumn - 1],
    Home: cells[0],
    End: cells.at(-1),
  }[key];
}

/** Makes the cells of a drawing that have `press` into buttons. */
export class Presses {
  readonly #svg: SVGSVGElement;
  #cells: readonly Pressable[] = [];
  /** The cell that the arrow keys have reached. */
  #at: string | undefined;

  /** `onPress` is called with the key of the cell, or with nothing if the reader released all cells. */
  constructor(svg: SVGSVGElement, onPress: (key: string | undefined) => void) {
    this.#svg = svg;
    const toggle = (cell: Pressable) => onPress(cell.press.pressed ? undefined : cell.key);
    svg.addEventListener('click', (event) => {
      const cell = this.#cellAt(event);
      if (!cell) return;
      this.#at = cell.key;
      toggle(cell);
    });
    svg.addEventListener('keydown', (event) => {
      const cell = this.#cells.find(({ key }) => key === this.#focused());
      if (!cell || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === 'Enter' || event.key === ' ') toggle(cell);
      else if (event.key === 'Escape') onPress(undefined);
      else {
        const next = neighbourOf(this.#cells, cell, event.key);
        if (!next) return;
        this.#at = next.key;
        this.#setStops();
        this.#groupOf(next)?.focus();
      }
      event.preventDefault();
    });
  }

  /** Takes over the cells of the drawn scene. */
  update({ marks }: Scene): void {
    this.#cells = marks.filter(isPressable);
    this.#svg.setAttribute('role', this.#cells.length > 0 ? 'group' : 'img');
    const groups = this.#groups();
    for (const mark of marks) {
      const group = groups.get(mark.key);
      if (!group) continue;
      if (isPressable(mark)) {
        group.setAttribute('role', 'button');
        group.setAttribute('aria-label', mark.press.label);
        group.setAttribute('aria-pressed', String(mark.press.pressed));
        group.removeAttribute('aria-hidden');
      } else {
        for (const name of ['role', 'aria-label', 'aria-pressed', 'tabindex'])
          group.removeAttribute(name);
        // The labels of the drawing and of its cells contain all of its information.
        if (this.#cells.length > 0) group.setAttribute('aria-hidden', 'true');
        else group.removeAttribute('aria-hidden');
      }
    }
    this.#setStops();
  }

  /** Gives the Tab key one stop. */
  #setStops(): void {
    const stop =
      this.#cells.find(({ key }) => key === this.#at) ??
      this.#cells.find(({ press }) => press.first) ??
      this.#cells[0];
    const groups = this.#groups();
    for (const cell of this.#cells) {
      groups.get(cell.key)?.setAttribute('tabindex', cell === stop ? '0' : '-1');
    }
  }

  #groups(): ReadonlyMap<string, SVGGElement> {
    const groups = [...this.#svg.children].filter((child) => child instanceof SVGGElement);
    return new Map(groups.map((group) => [group.dataset.key ?? '', group]));
  }

  #groupOf({ key }: Cell): SVGGElement | undefined {
    return this.#groups().get(key);
  }

  /** The key of the cell with the focus. */
  #focused(): string | undefined {
    return this.#svg.querySelector<SVGGElement>(':scope > g:focus')?.dataset.key;
  }

  #cellAt({ clientX, clientY }: MouseEvent): Pressable | undefined {
    const box = this.#svg.getBoundingClientRect();
    const scale = this.#svg.viewBox.baseVal.width / box.width;
    const [x, y] = [(clientX - box.left) * scale, (clientY - box.top) * scale];
    const [nearest] = this.#cells
      .map((cell) => ({ cell, distance: distanceFrom(cell, x, y) }))
      .sort((a, b) => a.distance - b.distance);
    return nearest && nearest.distance <= REACH ? nearest.cell : undefined;
  }
}
