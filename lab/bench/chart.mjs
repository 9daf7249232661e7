// The chart of accuracy: bits per key against the rate. The same results give the same file, results/bits-per-key.svg.

import * as Plot from '@observablehq/plot';
import * as tamis from 'tamis';
import { number } from './format.mjs';
import { color, frame, newDocument, write } from './svg.mjs';

const WIDTH = 900;
const HEIGHT = 640;
const MARGIN = { left: 44, right: 206, top: 104, bottom: 56 };
const MOST_BITS = 66;
const RATES = [0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6];
/** Slightly more than a millionth: types with whole bits have no rate of exactly a millionth. */
const LAST_RATE = 9e-7;
const LABEL_LINE = 17;

/** The groups of filters, by the colours that they have in charts. */
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
/** Moves overlapping labels apart. Each moves as little as their order allows. */
function spread(labels, pixelOf, bitsOf) {
  const placed = [...labels].sort((a, b) => b.bits - a.bits).map((label) => ({ ...label }));
  const blocks = [];
  for (const label of placed) {
    let block = { labels: [label], middle: pixelOf(label.bits) };
    const height = ({ labels: { length } }) => length * LABEL_LINE;
    for (
      let above = blocks.at(-1);
      above && above.middle + height(above) / 2 > block.middle - height(block) / 2;
      above = blocks.at(-1)
    ) {
      const both = [...blocks.pop().labels, ...block.labels];
      const middle = both.reduce((sum, { bits }) => sum + pixelOf(bits), 0) / both.length;
      block = { labels: both, middle };
    }
    blocks.push(block);
  }
  for (const { labels: stacked, middle } of blocks) {
    stacked.forEach((label, i) => {
      label.at = bitsOf(middle + (i - (stacked.length - 1) / 2) * LABEL_LINE);
    });
  }
  return placed;
}

/** The results as an SVG document. */
export function chart({ types, curveKeys }) {
  const innerHeight = HEIGHT - MARGIN.top - MARGIN.bottom;
  const pixelOf = (bits) => MARGIN.top + (1 - bits / MOST_BITS) * innerHeight;
  const bitsOf = (pixel) => MOST_BITS * (1 - (pixel - MARGIN.top) / innerHeight);

  const curves = Object.values(types).map((own) => ({
    label: own.options?.arity ? `${own.type}, ${own.options.arity}-wise` : own.type,
    group: groupOf(own.type),
    isDashed: own.options?.arity === 3,
    points: own.curve.filter(
      ({ rate, bitsPerKey }) => rate >= LAST_RATE && rate <= RATES[0] && bitsPerKey <= MOST_BITS,
    ),
    built: own.built?.map(({ keys, payloadBytes, designedRate }) => ({
      rate: designedRate,
      bitsPerKey: (8 * payloadBytes) / keys,
    })),
  }));
  const theory = (factor) =>
    [RATES[0], RATES.at(-1)].map((rate) => ({
      rate,
      bitsPerKey: factor * Math.log2(1 / rate),
    }));
  const limits = [
    { label: 'limit: log2(1/rate)', points: theory(1) },
    { label: 'Bloom: 1.44 log2(1/rate)', points: theory(1 / Math.log(2)) },
  ];

  const endOf = ({ points }) => points.at(-1);
  const isWhole = (curve) => endOf(curve).rate < 2 * RATES.at(-1);
  const atEnd = spread(
    [
      ...curves
        .filter(isWhole)
        .map((curve) => ({ text: curve.label, fill: color(curve.group), end: endOf(curve) })),
      ...limits.map((limit) => ({ text: limit.label, fill: color('ink'), end: endOf(limit) })),
    ].map((label) => ({ ...label, bits: label.end.bitsPerKey })),
    pixelOf,
    bitsOf,
  );
  const leaving = curves.filter((curve) => !isWhole(curve));

  const document = newDocument();
  const x = 'rate';
  const y = 'bitsPerKey';
  const svg = Plot.plot({
    document,
    width: WIDTH,
    height: HEIGHT,
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    style: { color: color('ink'), background: color('paper'), fontSize: '13px' },
    x: { type: 'log', domain: [RATES[0], LAST_RATE], label: null },
    y: { domain: [0, MOST_BITS], label: null },
    marks: [
      Plot.gridY({ ticks: 7, stroke: color('grid'), strokeOpacity: 1 }),
      Plot.gridX({ ticks: RATES, stroke: color('grid'), strokeOpacity: 1 }),
      Plot.axisY({ ticks: 7, tickSize: 0 }),
      Plot.axisX({
        ticks: RATES,
        tickSize: 0,
        tickFormat: (rate) => `1 in ${number(Math.round(1 / rate), 0)}`,
      }),
      ...curves.map(({ points, group, isDashed }) =>
        Plot.line(points, {
          x,
          y,
          stroke: color(group),
          strokeWidth: group === 'once' ? 3 : 1.75,
          strokeDasharray: isDashed ? '5 3' : undefined,
        }),
      ),
      // The limits are dotted, and drawn over the lines that reach them.
      ...limits.map(({ points }) =>
        Plot.line(points, { x, y, stroke: color('ink'), strokeWidth: 2, strokeDasharray: '2 5' }),
      ),
      ...curves
        .filter(({ built }) => built)
        .map(({ built, group }) =>
          Plot.dot(built, {
            x,
            y,
            r: 3,
            fill: color('paper'),
            stroke: color(group),
            strokeWidth: 1.5,
          }),
        ),
      Plot.link(atEnd, {
        x1: ({ end }) => end.rate,
        x2: 7.2e-7,
        y1: 'bits',
        y2: 'at',
        stroke: 'fill',
        strokeWidth: 1,
        strokeOpacity: 0.6,
      }),
      Plot.text(atEnd, { x: 7e-7, y: 'at', text: 'text', fill: 'fill', textAnchor: 'start' }),
      ...leaving.map((curve) =>
        Plot.text([endOf(curve)], {
          x,
          y,
          text: () => curve.label,
          fill: color(curve.group),
          textAnchor: 'end',
          dx: -6,
          dy: 4,
        }),
      ),
    ],
  });
  const words = {
    width: WIDTH,
    height: HEIGHT,
    title: 'Bits per key against the rate of false positives',
    note: `${number(curveKeys, 0)} keys. Lines: what sizeFor says; circles: the payload of filters that were built.`,
    groups: GROUPS,
  };
  return frame(document, svg, words, [
    write(document, [16, MARGIN.top - 8], 13, 'faint', 'bits per key'),
    write(document, [WIDTH - MARGIN.right, HEIGHT - 12], 13, 'faint', 'false positives', {
      'text-anchor': 'end',
    }),
  ]);
}
