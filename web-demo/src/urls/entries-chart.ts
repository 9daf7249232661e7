import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { cssValue, onSchemeChange } from '../dom';
import { integer } from '../format';
import type { Update } from './protocol';

const HEIGHT = 260;
/** The shortest time that the chart spans, in seconds. */
const SPAN_MIN = 60;

const compactNumber = new Intl.NumberFormat('en', {
  notation: 'compact',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** Entries in use over time: a step for each update, and a mark for each rejected update. */
export class EntriesChart {
  readonly #plot: uPlot;

  constructor(host: HTMLElement) {
    const axis: uPlot.Axis = {
      font: `12px ${cssValue('--sans')}`,
      stroke: () => cssValue('--muted'),
      grid: { stroke: () => cssValue('--line'), width: 1 },
      ticks: { stroke: () => cssValue('--line'), width: 1 },
    };
    const value = (_: uPlot, entries: number | null): string =>
      entries === null ? '-' : integer(entries);
    const options: uPlot.Options = {
      width: host.clientWidth,
      height: HEIGHT,
      padding: [10, 28, 0, 0],
      cursor: { y: false, drag: { x: false, y: false } },
      scales: {
        x: { range: (_, first, last) => [first, Math.max(last, first + SPAN_MIN)] },
        y: { range: (_, least, most) => [least - 1000, most + 1000] },
      },
      axes: [
        { ...axis, space: 70, values: '{HH}:{mm}:{ss}' },
        { ...axis, size: 62, values: (_, ticks) => ticks.map((n) => compactNumber.format(n)) },
      ],
      series: [
        { label: 'Time', value: '{HH}:{mm}:{ss}' },
        {
          label: 'Entries',
          stroke: () => cssValue('--clear'),
          width: 2,
          paths: uPlot.paths.stepped?.({ align: 1 }),
          points: { show: true, size: 8, fill: () => cssValue('--clear'), width: 0 },
          value,
        },
        {
          label: 'Refused',
          stroke: () => cssValue('--set'),
          paths: () => null,
          points: { show: true, size: 11, fill: () => cssValue('--set'), width: 0 },
          value,
        },
      ],
    };
    this.#plot = new uPlot(options, [[], [], []], host);
    new ResizeObserver(() => {
      this.#plot.setSize({ width: host.clientWidth, height: HEIGHT });
    }).observe(host);
    onSchemeChange(() => this.#plot.redraw());
  }

  draw(updates: readonly Update[]): void {
    // The entries of the last update are in use until now.
    const now = updates.slice(-1).map((last) => ({ ...last, by: 'none', atMs: Date.now() }));
    const points = [...updates, ...now];
    this.#plot.setData([
      points.map(({ atMs }) => atMs / 1000),
      points.map(({ entries }) => entries),
      points.map(({ by, entries }) => (by === 'refused' ? entries : null)),
    ]);
  }
}
