import uPlot from 'uplot';
import { integer } from '../format';
import { makeAxis, makeDots, makePlot } from '../plot';
import type { Update } from './protocol';

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
    const axis = makeAxis();
    const value = (_: uPlot, entries: number | null): string =>
      entries === null ? '-' : integer(entries);
    this.#plot = makePlot(host, {
      height: 260,
      padding: [10, 28, 0, 0],
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
          ...makeDots('--clear', 8),
          width: 2,
          paths: uPlot.paths.stepped?.({ align: 1 }),
          value,
        },
        {
          label: 'Refused',
          ...makeDots('--set', 11),
          paths: () => null,
          value,
        },
      ],
    });
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
