import { Chart } from './chart';
import {
  byId,
  copyTextButton,
  debounce,
  make,
  makeRow,
  prefersReducedMotion,
  radioPill,
} from './dom';
import { fillFigures } from './figures-view';
import {
  countAt,
  type Finding,
  type Job,
  OVERFILL,
  POINTS,
  type Point,
  type Summary,
} from './filling';
import { demoFilter, demoFilters } from './filters';
import { integer, percent } from './format';
import { LogSlider } from './log-slider';
import { LIMITS } from './state';

const form = byId('build-form', HTMLFormElement);
const types = byId('types', HTMLFieldSetElement);
const figures = byId('build-figures', HTMLDListElement);
const note = byId('build-note', HTMLParagraphElement);
const summary = byId('type-summary', HTMLParagraphElement);
const optionRow = byId('option-row', HTMLDivElement);
const optionLabel = byId('option-label', HTMLLabelElement);
const optionSelect = byId('option', HTMLSelectElement);
const table = byId('points', HTMLTableSectionElement);
const snippet = byId('snippet', HTMLElement);

function rateOf({ falsePositives, absentKeys }: Point): number {
  return falsePositives / absentKeys;
}

/** Sliders, a filter that a worker builds from their values, and the measurements of that filter. */
export class BuildView {
  readonly #chart = new Chart(byId('chart', HTMLDivElement));
  readonly #capacity: LogSlider;
  readonly #fpr: LogSlider;
  readonly #onChange: (job: Job) => void;
  readonly #buildSoon = debounce(() => this.#build(), 200);
  #type = demoFilter('').type;
  #option: number | undefined;
  #worker: Worker | undefined;

  constructor(onChange: (job: Job) => void) {
    const changed = (): void => this.#changed();
    this.#onChange = onChange;
    const keys = (count: number): string => `${integer(count)} keys`;
    this.#capacity = new LogSlider('capacity', LIMITS.capacity, keys, changed);
    this.#fpr = new LogSlider('fpr', LIMITS.fpr, percent, changed);
    form.addEventListener('submit', (event) => event.preventDefault());
    const pills = demoFilters.map((entry) =>
      radioPill('type', entry, () => {
        this.#choose(entry.type);
        changed();
      }),
    );
    types.append(...pills);
    optionSelect.addEventListener('change', () => {
      this.#option = Number(optionSelect.value);
      this.#changed();
    });
    copyTextButton('copy-snippet', snippet);
  }

  get job(): Job {
    const [capacity, fpr] = [this.#capacity.value, this.#fpr.value];
    return { type: this.#type, capacity, fpr, option: this.#option };
  }

  /** Takes the settings from a link, and builds. */
  set(job: Job): void {
    this.#choose(job.type, job.option);
    for (const radio of types.querySelectorAll('input')) radio.checked = radio.value === this.#type;
    this.#capacity.value = job.capacity;
    this.#fpr.value = job.fpr;
    this.#foretell();
    this.#build();
  }

  /** Selects the type, describes it, and shows its option. */
  #choose(type: string, chosen?: number): void {
    const entry = demoFilter(type);
    const { option } = entry;
    this.#type = entry.type;
    this.#option = chosen ?? option?.initial;
    summary.replaceChildren(make('b', '', entry.className), `: ${entry.summary}`);
    optionRow.hidden = option === undefined;
    optionLabel.textContent = option?.label ?? '';
    const choices = (option?.choices ?? []).map((value) => new Option(integer(value)));
    optionSelect.replaceChildren(...choices);
    optionSelect.value = String(this.#option ?? '');
  }

  #changed(): void {
    this.#worker?.terminate();
    this.#foretell();
    this.#onChange(this.job);
    this.#buildSoon();
  }

  /** Shows everything that is known before building: figures, program, and the expected curve. */
  #foretell(): void {
    const entry = demoFilter(this.#type);
    fillFigures(figures, entry.figures(this.job));
    snippet.textContent = entry.snippet(this.job);
    note.textContent = 'Building ...';
    table.replaceChildren();
    this.#drawChart([]);
  }

  #build(): void {
    this.#worker?.terminate();
    const { job } = this;
    const points: Point[] = [];
    const worker = new Worker(new URL('./build-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<Finding>) => {
      if ('point' in data) {
        points.push(data.point);
        if (points.length === POINTS || !prefersReducedMotion()) this.#drawChart(points);
        return;
      }
      worker.terminate();
      this.#report(points, data.summary);
    });
    worker.addEventListener('error', ({ message }) => {
      note.textContent = `The filter was not built: ${message}`;
    });
    worker.postMessage(job);
  }

  /**
   * The expected rate at each point: by the formula if the type has one, else by the filter's own estimate at that
   * point.
   */
  #expected(count: number, points: readonly Point[]): number | null {
    const formula = demoFilter(this.#type).designedRate?.(this.job, count);
    return formula ?? points.find((point) => point.count === count)?.estimated ?? null;
  }

  #drawChart(points: readonly Point[]): void {
    const { capacity, fpr } = this.job;
    const measuredAt = new Map(points.map((point) => [point.count, rateOf(point)]));
    const counts = Array.from(
      { length: POINTS },
      (_, i) => points[i]?.count ?? countAt(capacity, i + 1),
    );
    this.#chart.draw({
      capacity,
      lowest: fpr / 100,
      counts,
      expected: counts.map((count) => this.#expected(count, points)),
      measured: counts.map((count) => measuredAt.get(count) || null),
    });
  }

  #report(points: readonly Point[], { missed, isFull }: Summary): void {
    const expected = ({ count }: Point): string => percent(this.#expected(count, points) ?? 0);
    const rows = points.map((point) => {
      const { count, falsePositives } = point;
      const cells = [expected(point), percent(rateOf(point)), integer(falsePositives)];
      return makeRow(integer(count), '', cells);
    });
    table.replaceChildren(...rows);
    const { capacity } = this.job;
    const full = points.find(({ count }) => count === capacity);
    const last = points.at(-1);
    if (!last) return;
    const found = (point: Point): string =>
      `expected ${expected(point)}, measured ${percent(rateOf(point))}.`;
    const atCapacity = `At its capacity of ${integer(capacity)} keys`;
    const sentences = [
      full ? `${atCapacity}: ${found(full)}` : `${atCapacity} it was full before.`,
    ];
    if (isFull) {
      sentences.push(`Full at ${integer(last.count)} keys: it takes no more, ${found(last)}`);
    } else sentences.push(`Filled ${OVERFILL} times over: ${found(last)}`);
    sentences.push(`It missed ${integer(missed)} of its ${integer(last.count)} keys.`);
    note.textContent = sentences.join(' ');
  }
}
