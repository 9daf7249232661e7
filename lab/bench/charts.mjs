// Draws the charts in the documents. The same results always give the same files.

import * as Plot from '@observablehq/plot';
import { DOMParser } from 'linkedom';
import * as tamis from 'tamis';
import { number } from './format.mjs';

/** The paper is that of the page. An image follows the colour scheme of the element that shows it. */
const STYLE = `
svg { --ink: #1f2328; --faint: #59636e; --grid: #e4e8ec;
  --once: #0757ba; --grows: #a8430a; --changes: #12702f; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #f0f6fc; --faint: #9aa4af; --grid: #3a424d;
    --once: #6cb2ff; --grows: #ffa45c; --changes: #56d364; }
}
svg, svg text { font-family: system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }
`;
const color = (name) => `var(--${name})`;
const faintGrid = { stroke: color('grid'), strokeOpacity: 1 };

/** The groups of filters, with their colours in charts. */
export const GROUPS = {
  once: 'built once',
  grows: 'keys are added',
  changes: 'keys come and go',
};

export function groupOf(type) {
  const { [type]: Class } = tamis;
  if (Class.fromHashes) return 'once';
  return Class.prototype.delete ? 'changes' : 'grows';
}

/**
 * The SVG document of a plot: a title, a note and the key of the colours before the drawing.
 * @param {{ width: number, height: number, title: string, note: string, groups?: Record<string, string> }} words
 * @param {[number, number, string, object?][]} texts more lines of text: place, content and other attributes
 */
function draw({ width, height, title, note, groups = {} }, plot, texts = []) {
  const { document } = new DOMParser().parseFromString('<html></html>', 'text/html').defaultView;
  const style = { color: color('ink'), background: 'none', ...plot.style };
  const svg = Plot.plot({ ...plot, document, width, height, style });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('role', 'img');
  const make = (name, attributes, content = '') => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = content;
    return element;
  };
  const write = (x, y, content, more = {}) => {
    const look = { 'font-size': 13, fill: color('faint'), 'text-anchor': 'start' };
    return make('text', { x, y, ...look, ...more }, content);
  };
  const head = [
    make('title', {}, title),
    make('style', {}, STYLE),
    write(16, 30, title, { 'font-size': 18, fill: color('ink'), 'font-weight': 600 }),
    write(16, 52, note),
    ...texts.map((text) => write(...text)),
  ];
  let left = 16;
  for (const [group, label] of Object.entries(groups)) {
    const fill = color(group);
    head.push(
      make('rect', { x: left, y: 68, width: 14, height: 4, rx: 2, fill }),
      write(left + 20, 75, label, { fill, 'font-weight': 600 }),
    );
    left += 44 + 7.5 * label.length;
  }
  svg.prepend(...head);
  return `${svg.outerHTML}\n`;
}

const BARS = { width: 600, row: 27, right: 100, bottom: 12 };
/** The space left of a bar for its label, in addition to the label's characters. */
const LABEL_ROOM = 22;
const CHARACTER = 7.3;
/** Where the bars begin, below title and note. A legend takes one more line. */
const HEAD = 66;
const KEY = 26;

/** Dots for a logarithmic axis, on which bars would have no starting point. */
function dots(rows, place, values, show) {
  const least = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(...values);
  const ticks = [];
  for (let ten = least; ten <= most; ten *= 10) ticks.push(ten);
  const marks = [
    Plot.gridX({ ticks, ...faintGrid }),
    Plot.axisX({ ticks, tickSize: 0, anchor: 'top', tickFormat: show }),
    Plot.dot(rows, { ...place, r: 7 }),
  ];
  return { x: { type: 'log', domain: [least, most], label: null }, marks };
}

/**
 * Bars from the shortest on, each with its figure.
 * @param {object} chart
 * @param {string} chart.title
 * @param {string} chart.note what the bars measure, with its unit
 * @param {{ label: string, value: number, group: string }[]} chart.rows `group` is a colour of STYLE
 * @param {(value: number) => string} chart.show the figure beside a bar
 * @param {Record<string, string>} [chart.groups] what the colours mean
 * @param {boolean} [chart.isLog] true for an axis of powers of ten
 * @returns {string} an SVG document
 */
export function bars({ title, note, rows, show, groups = {}, isLog = false }) {
  const longest = Math.max(...rows.map(({ label }) => label.length));
  const top = HEAD + (Object.keys(groups).length > 0 ? KEY : 0) + (isLog ? 18 : 0);
  const height = top + rows.length * BARS.row + BARS.bottom;
  const place = { x: 'value', y: 'label', fill: ({ group }) => color(group) };
  const values = rows.map(({ value }) => value);
  const { x, marks } = isLog
    ? dots(rows, place, values, show)
    : {
        x: { domain: [0, Math.max(...values)], axis: null },
        marks: [Plot.barX(rows, { ...place, insetTop: 4, insetBottom: 4, rx: 2 })],
      };
  const text = ({ value }) => show(value);
  const figure = { ...place, text, fill: color('ink'), textAnchor: 'start', dx: isLog ? 13 : 7 };
  return draw(
    { width: BARS.width, height, title, note, groups },
    {
      marginLeft: LABEL_ROOM + CHARACTER * longest,
      marginRight: BARS.right,
      marginTop: top,
      marginBottom: BARS.bottom,
      style: { fontSize: '14px' },
      x,
      y: { domain: rows.map(({ label }) => label), label: null },
      marks: [...marks, Plot.axisY({ tickSize: 0, tickPadding: 8 }), Plot.text(rows, figure)],
    },
  );
}

const WIDTH = 900;
const HEIGHT = 640;
const MARGIN = { left: 44, right: 206, top: 104, bottom: 56 };
const MOST_BITS = 66;
const RATES = [0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6];
/** Slightly more than a millionth, because types with whole bits cannot have a rate of exactly a millionth. */
const LAST_RATE = 9e-7;
/** How many bits on the axis the height of a label corresponds to. */
const LABEL_BITS = (17 * MOST_BITS) / (HEIGHT - MARGIN.top - MARGIN.bottom);

/** Moves labels at the ends of lines apart, half of the way up and half of the way down. */
function spread(labels) {
  const sorted = labels.sort((one, other) => one.end[1] - other.end[1]);
  const [up, down] = [[], []];
  sorted.forEach(({ end: [, bits] }, i) => {
    up[i] = Math.max(bits, (up[i - 1] ?? -Infinity) + LABEL_BITS);
  });
  for (let i = sorted.length - 1; i >= 0; i--) {
    down[i] = Math.min(sorted[i].end[1], (down[i + 1] ?? Infinity) - LABEL_BITS);
  }
  return sorted.map((label, i) => ({ ...label, at: (up[i] + down[i]) / 2 }));
}

/** The lines of the theoretical limits. */
const theory = (label, factor) => ({
  label,
  group: 'ink',
  points: [RATES[0], RATES.at(-1)].map((rate) => [rate, factor * Math.log2(1 / rate)]),
});
const LIMITS = [
  theory('limit: log2(1/rate)', 1),
  theory('Bloom: 1.44 log2(1/rate)', 1 / Math.log(2)),
];

const isShown = ([rate, bits]) => rate >= LAST_RATE && rate <= RATES[0] && bits <= MOST_BITS;
const endOf = ({ points }) => points.at(-1);
const x = ([rate]) => rate;
const y = ([, bits]) => bits;

const isWhole = (line) => endOf(line)[0] < 2 * RATES.at(-1);

/** The axes and the lines, with dots for the filters that were built. The limits are dotted, above the other lines. */
const lineMarks = (lines) => [
  Plot.gridY({ ticks: 7, ...faintGrid }),
  Plot.gridX({ ticks: RATES, ...faintGrid }),
  Plot.axisY({ ticks: 7, tickSize: 0 }),
  Plot.axisX({
    ticks: RATES,
    tickSize: 0,
    tickFormat: (rate) => `1 in ${number(Math.round(1 / rate))}`,
  }),
  ...lines.map(({ points, group, dash: strokeDasharray }) => {
    const strokeWidth = group === 'once' ? 3 : 1.75;
    return Plot.line(points, { x, y, stroke: color(group), strokeWidth, strokeDasharray });
  }),
  ...LIMITS.map(({ points }) =>
    Plot.line(points, { x, y, stroke: color('ink'), strokeWidth: 2, strokeDasharray: '2 5' }),
  ),
  ...lines.map(({ built, group }) => {
    return Plot.dot(built, { x, y, r: 3.5, fill: color(group) });
  }),
];

/** Labels at the ends of lines, and beside those that reach the right edge. */
function labelMarks(lines) {
  const labels = [...lines, ...LIMITS].map((line) => ({
    isBeside: isWhole(line),
    text: line.label,
    fill: color(line.group),
    end: endOf(line),
  }));
  const look = { text: 'text', fill: 'fill' };
  const beside = spread(labels.filter(({ isBeside }) => isBeside));
  const atEnd = labels.filter(({ isBeside }) => !isBeside);
  const ends = [({ end: [rate] }) => rate, ({ end: [, bits] }) => bits];
  const line = { stroke: 'fill', strokeWidth: 1, strokeOpacity: 0.6 };
  return [
    Plot.link(beside, { x1: ends[0], x2: 7.2e-7, y1: ends[1], y2: 'at', ...line }),
    Plot.text(beside, { x: 7e-7, y: 'at', ...look, textAnchor: 'start' }),
    Plot.text(atEnd, { x: ends[0], y: ends[1], ...look, textAnchor: 'end', dx: -6, dy: 4 }),
  ];
}

/** Draws bits per key against the rate, for every type. */
export function curves({ types, curveKeys }) {
  const lines = Object.values(types).map(({ type, arity, curve, built = [] }) => ({
    label: arity ? `${type}, arity ${arity}` : type,
    group: groupOf(type),
    dash: arity === 3 ? '5 3' : undefined,
    points: curve.filter(isShown),
    built: built.map((one) => [one.designedRate, (8 * one.payloadBytes) / one.keys]),
  }));
  const words = {
    width: WIDTH,
    height: HEIGHT,
    title: 'Bits per key against the rate of false positives',
    note: `${number(curveKeys)} keys. Lines show what sizeFor computes; dots show filters that were built.`,
    groups: GROUPS,
  };
  const plot = {
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    style: { fontSize: '13px' },
    x: { type: 'log', domain: [RATES[0], LAST_RATE], label: null },
    y: { domain: [0, MOST_BITS], label: null },
    marks: [...lineMarks(lines), ...labelMarks(lines)],
  };
  return draw(words, plot, [
    [16, MARGIN.top - 8, 'bits per key'],
    [WIDTH - MARGIN.right, HEIGHT - 12, 'false positives', { 'text-anchor': 'end' }],
  ]);
}
