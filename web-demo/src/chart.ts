import type uPlot from 'uplot';
import { cssValue } from './dom';
import { integer, percent } from './format';
import { makeAxis, makeDots, makePlot } from './plot';

export interface Curve {
  readonly capacity: number;
  /** The lowest rate on the chart. Lower rates are not drawn. */
  readonly lowest: number;
  readonly counts: readonly number[];
  /** null: the rate is not known yet. */
  readonly expected: readonly (number | null)[];
  /** null: nothing was measured, or there was no false positive, because a log scale has no zero. */
  readonly measured: readonly (number | null)[];
}

/** Expected and measured rate over the added keys. The area past the capacity is shaded. */
export class Chart {
  readonly #plot: uPlot;
  #capacity = 0;
  #lowest = 1e-4;
  #most = 1;

  constructor(host: HTMLElement) {
    const axis = (label: string): uPlot.Axis => ({
      ...makeAxis(),
      label,
      labelSize: 22,
      labelFont: `12px ${cssValue('--sans')}`,
    });
    this.#plot = makePlot(host, {
      height: 320,
      padding: [10, 14, 0, 0],
      legend: { live: true },
      scales: {
        x: { time: false, range: () => [0, this.#most] },
        y: { distr: 3, range: () => [this.#lowest, 1] },
      },
      axes: [
        { ...axis('Keys added'), size: 34, values: (_, ticks) => ticks.map(compact) },
        {
          ...axis('False-positive rate'),
          size: 62,
          filter: decades,
          grid: { stroke: () => cssValue('--line'), width: 1, filter: decades },
          ticks: { show: false },
          values: (_, ticks) => ticks.map((rate) => (rate === null ? '' : shortPercent(rate))),
        },
      ],
      series: [
        { label: 'Keys', value: (_, count) => (count === null ? '-' : integer(count)) },
        {
          label: 'Expected',
          stroke: () => cssValue('--clear'),
          width: 2,
          points: { show: false },
          value: (_, rate) => (rate === null ? '-' : percent(rate)),
        },
        {
          label: 'Measured',
          ...makeDots('--set', 8),
          paths: () => null,
          value: (_, rate) => (rate === null ? '-' : percent(rate)),
        },
      ],
      hooks: { drawClear: [(plot) => this.#shade(plot)] },
    });
  }

  draw({ capacity, lowest, counts, expected, measured }: Curve): void {
    this.#capacity = capacity;
    this.#lowest = 10 ** Math.floor(Math.log10(lowest));
    this.#most = counts.at(-1) ?? capacity;
    const inRange = measured.map((rate) => (rate !== null && rate >= this.#lowest ? rate : null));
    this.#plot.setData([[...counts], [...expected], inRange]);
  }

  #shade(plot: uPlot): void {
    const { ctx: pen, bbox } = plot;
    const x = plot.valToPos(this.#capacity, 'x', true);
    if (!Number.isFinite(x)) return;
    pen.save();
    pen.fillStyle = cssValue('--over');
    pen.fillRect(x, bbox.top, bbox.left + bbox.width - x, bbox.height);
    pen.fillStyle = cssValue('--muted');
    pen.fillRect(x, bbox.top, devicePixelRatio, bbox.height);
    pen.font = `${12 * devicePixelRatio}px ${cssValue('--sans')}`;
    pen.textAlign = 'left';
    pen.textBaseline = 'bottom';
    const inset = 7 * devicePixelRatio;
    pen.fillText('over capacity', x + inset, bbox.top + bbox.height - inset);
    pen.restore();
  }
}

const compactNumber = new Intl.NumberFormat('en', { notation: 'compact' });
function compact(value: number): string {
  return compactNumber.format(value);
}

/** Keeps the powers of ten of a log scale, and drops the lines between them. */
function decades(_: uPlot, ticks: number[]): (number | null)[] {
  return ticks.map((tick) => (Math.abs(Math.log10(tick) % 1) < 1e-9 ? tick : null));
}

function shortPercent(rate: number): string {
  return `${Number((rate * 100).toPrecision(1))} %`;
}
