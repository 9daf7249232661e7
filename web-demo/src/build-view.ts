import { Chart } from './chart';
import { byId, copyButton, debounce, make, prefersReducedMotion } from './dom';
import { fillFigures } from './figures-view';
import { countAt, type Finding, type Job, OVERFILL, POINTS, type Point } from './filling';
import { demoFilter, demoFilters } from './filters';
import { integer, percent } from './format';
import { LogSlider } from './log-slider';
import { LIMITS } from './state';

const form = byId('build-form', HTMLFormElement);
const types = byId('types', HTMLFieldSetElement);
const figures = byId('build-figures', HTMLDListElement);
const note = byId('build-note', HTMLParagraphElement);
const table = byId('points', HTMLTableSectionElement);
const snippet = byId('snippet', HTMLElement);

function rateOf({ falsePositives, strangers }: Point): number {
  return falsePositives / strangers;
}

/** Sliders, a filter built from them in a worker, and what it measured. */
export class BuildView {
  readonly #chart = new Chart(byId('chart', HTMLDivElement));
  readonly #capacity: LogSlider;
  readonly #fpr: LogSlider;
  readonly #onChange: (job: Job) => void;
  readonly #buildSoon = debounce(() => this.#build(), 200);
  #type = demoFilter('').type;
  #worker: Worker | undefined;

  constructor(onChange: (job: Job) => void) {
    const changed = (): void => this.#changed();
    this.#onChange = onChange;
    const keys = (count: number): string => `${integer(count)} keys`;
    this.#capacity = new LogSlider('capacity', LIMITS.capacity, keys, changed);
    this.#fpr = new LogSlider('fpr', LIMITS.fpr, percent, changed);
    form.addEventListener('submit', (event) => event.preventDefault());
    types.append(...demoFilters.map(({ type }) => this.#typeChoice(type)));
    copyButton(byId('copy-snippet', HTMLButtonElement), () => snippet.textContent ?? '');
  }

  get job(): Job {
    return { type: this.#type, capacity: this.#capacity.value, fpr: this.#fpr.value };
  }

  /** Takes over settings from a link, and builds. */
  set(job: Job): void {
    this.#type = demoFilter(job.type).type;
    for (const radio of types.querySelectorAll('input')) radio.checked = radio.value === this.#type;
    this.#capacity.value = job.capacity;
    this.#fpr.value = job.fpr;
    this.#foretell();
    this.#build();
  }

  #typeChoice(type: string): HTMLLabelElement {
    const { name, summary } = demoFilter(type);
    const label = make('label', 'type');
    const radio = make('input');
    radio.type = 'radio';
    radio.name = 'type';
    radio.value = type;
    radio.addEventListener('change', () => {
      this.#type = type;
      this.#changed();
    });
    const words = make('span');
    words.append(make('b', '', name), make('small', '', summary));
    label.append(radio, words);
    return label;
  }

  #changed(): void {
    this.#worker?.terminate();
    this.#foretell();
    this.#onChange(this.job);
    this.#buildSoon();
  }

  /** What is known before building: figures, program, and the designed curve. */
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
      this.#report(points, data.missed);
    });
    worker.addEventListener('error', ({ message }) => {
      note.textContent = `The filter was not built: ${message}`;
    });
    worker.postMessage(job);
  }

  #designed(count: number): number {
    return demoFilter(this.#type).designedRate(this.job, count);
  }

  #drawChart(points: readonly Point[]): void {
    const { capacity, fpr } = this.job;
    const measuredAt = new Map(points.map((point) => [point.count, rateOf(point)]));
    const counts = Array.from({ length: POINTS }, (_, i) => countAt(capacity, i + 1));
    this.#chart.draw({
      capacity,
      lowest: fpr / 100,
      counts,
      designed: counts.map((count) => this.#designed(count)),
      measured: counts.map((count) => measuredAt.get(count) || null),
    });
  }

  #report(points: readonly Point[], missed: number): void {
    const rows = points.map((point) => {
      const { count, falsePositives } = point;
      const row = make('tr');
      const head = make('th', '', integer(count));
      head.scope = 'row';
      row.append(
        head,
        make('td', '', percent(this.#designed(count))),
        make('td', '', percent(rateOf(point))),
        make('td', '', integer(falsePositives)),
      );
      return row;
    });
    table.replaceChildren(...rows);
    const { capacity } = this.job;
    const full = points.find(({ count }) => count === capacity);
    const last = points.at(-1);
    if (!full || !last) return;
    note.textContent =
      `At its capacity of ${integer(capacity)} keys: designed ${percent(this.#designed(capacity))}, ` +
      `measured ${percent(rateOf(full))}. Filled ${OVERFILL} times over: designed ` +
      `${percent(this.#designed(last.count))}, measured ${percent(rateOf(last))}. ` +
      `It missed ${integer(missed)} of its ${integer(last.count)} keys; only strangers pass more often.`;
  }
}
