// What the charts share: their colours follow the scheme, and their width follows the page.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { cssValue, onSchemeChange } from './dom';

const line = { stroke: () => cssValue('--line'), width: 1 };

export const makeAxis = (): uPlot.Axis => ({
  font: `12px ${cssValue('--sans')}`,
  stroke: () => cssValue('--muted'),
  grid: line,
  ticks: line,
});

/** A series of dots of that size. */
export function makeDots(color: string, size: number): uPlot.Series {
  const fill = (): string => cssValue(color);
  return { stroke: fill, points: { show: true, size, fill, width: 0 } };
}

/** An empty chart of three series. */
export function makePlot(host: HTMLElement, options: Omit<uPlot.Options, 'width'>): uPlot {
  const cursor = { y: false, drag: { x: false, y: false } };
  const sized = { cursor, width: host.clientWidth, ...options };
  const plot = new uPlot(sized, [[], [], []], host);
  new ResizeObserver(() => {
    plot.setSize({ width: host.clientWidth, height: options.height });
  }).observe(host);
  onSchemeChange(() => plot.redraw());
  return plot;
}
