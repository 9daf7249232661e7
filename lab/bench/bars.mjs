// A chart of bars for a question of docs/benchmarks.md. The same results give the same file.

import * as Plot from '@observablehq/plot';
import { color, frame, newDocument } from './svg.mjs';

const WIDTH = 600;
const ROW = 27;
const MARGIN = { right: 100, bottom: 12 };
/** The room of a label on the left, beside that of its characters. */
const LABEL_ROOM = 22;
const CHARACTER = 7.3;
/** The top of the bars, below the title and the note. The key of the colours takes one more line. */
const HEAD = 66;
const KEY = 26;

/**
 * Bars from the shortest on, each with its figure.
 * @param {object} chart
 * @param {string} chart.title
 * @param {string} chart.note what the bars measure, with its unit
 * @param {{ label: string, value: number, group: string }[]} chart.rows `group` is a colour of `svg.mjs`
 * @param {(value: number) => string} chart.show the figure beside a bar
 * @param {Record<string, string>} [chart.groups] what the colours mean
 * @param {boolean} [chart.isLog] true for an axis of powers of ten. It has dots, since a bar has no foot
 * @returns {string} an SVG document
 */
export function bars({ title, note, rows, show, groups = {}, isLog = false }) {
  const document = newDocument();
  const longest = Math.max(...rows.map(({ label }) => label.length));
  const top = HEAD + (Object.keys(groups).length > 0 ? KEY : 0) + (isLog ? 18 : 0);
  const height = top + rows.length * ROW + MARGIN.bottom;
  const [x, y] = ['value', 'label'];
  const fill = ({ group }) => color(group);
  const most = Math.max(...rows.map(({ value }) => value));
  const least = 10 ** Math.floor(Math.log10(Math.min(...rows.map(({ value }) => value))));
  const tens = [];
  for (let ten = least; ten <= most; ten *= 10) tens.push(ten);
  const marks = isLog
    ? [
        Plot.gridX({ ticks: tens, stroke: color('grid'), strokeOpacity: 1 }),
        Plot.axisX({ ticks: tens, tickSize: 0, anchor: 'top', tickFormat: show }),
        Plot.dot(rows, { x, y, fill, r: 7 }),
      ]
    : [Plot.barX(rows, { x, y, fill, insetTop: 4, insetBottom: 4, rx: 2 })];
  const svg = Plot.plot({
    document,
    width: WIDTH,
    height,
    marginLeft: LABEL_ROOM + CHARACTER * longest,
    marginRight: MARGIN.right,
    marginTop: top,
    marginBottom: MARGIN.bottom,
    style: { color: color('ink'), background: color('paper'), fontSize: '14px' },
    x: isLog
      ? { type: 'log', domain: [least, most], label: null }
      : { domain: [0, most], axis: null },
    y: { domain: rows.map(({ label }) => label), label: null },
    marks: [
      ...marks,
      Plot.axisY({ tickSize: 0, tickPadding: 8 }),
      Plot.text(rows, {
        x,
        y,
        text: ({ value }) => show(value),
        fill: color('ink'),
        textAnchor: 'start',
        dx: isLog ? 13 : 7,
      }),
    ],
  });
  return frame(document, svg, { width: WIDTH, height, title, note, groups });
}
