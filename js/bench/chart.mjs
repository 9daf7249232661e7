// The chart of accuracy: bits per key against the rate. The same results give the same file, results/bits-per-key.svg.

import { number } from './report.mjs';

const WIDTH = 900;
const HEIGHT = 640;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, WIDTH - 206, 104, HEIGHT - 56];
const MOST_BITS = 66;
const RATES = [0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6];
/** Types of whole bits have no rate of just a millionth. */
const LAST_RATE = 9e-7;
const LABEL_LINE = 17;

const GROUPS = { once: 'built once', grows: 'keys are added', changes: 'keys come and go' };
const GROUP_OF = {
  RibbonFilter: 'once',
  BinaryFuseFilter: 'once',
  BloomFilter: 'grows',
  BlockedBloomFilter: 'grows',
  ScalableBloomFilter: 'grows',
  RotatingBloomFilter: 'grows',
};
const STYLE = `
svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #e4e8ec;
  --once: #0757ba; --grows: #a8430a; --changes: #12702f; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --ink: #f0f6fc; --faint: #9aa4af; --grid: #262c34;
    --once: #6cb2ff; --grows: #ffa45c; --changes: #56d364; }
}
text { font: 13px system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }
path { fill: none; }
`;

const round = (value) => Math.round(100 * value) / 100;
const xOf = (rate) =>
  LEFT + ((RIGHT - LEFT) * Math.log(RATES[0] / rate)) / Math.log(RATES[0] / LAST_RATE);
const yOf = (bits) => BOTTOM - ((BOTTOM - TOP) * bits) / MOST_BITS;

function element(name, attributes, content = '') {
  const written = Object.entries(attributes).map(([key, value]) => {
    return ` ${key}="${typeof value === 'number' ? round(value) : value}"`;
  });
  return `<${name}${written.join('')}>${content}</${name}>`;
}
const text = (x, y, color, content, more = {}) =>
  element('text', { x, y, fill: `var(--${color})`, ...more }, content);
const line = (points, color, more = {}) => {
  const steps = points.map(
    ({ rate, bitsPerKey }) => `${round(xOf(rate))} ${round(yOf(bitsPerKey))}`,
  );
  return element('path', { d: `M${steps.join('L')}`, stroke: `var(--${color})`, ...more });
};

/** Moves labels apart that would lie on one another, each as little as their order allows. */
function spread(labels) {
  const blocks = [];
  for (const label of labels.toSorted((a, b) => a.y - b.y)) {
    let block = [label];
    const middle = (some) => some.reduce((sum, { y }) => sum + y, 0) / some.length;
    const edge = (some, side) => middle(some) + (side * some.length * LABEL_LINE) / 2;
    while (blocks.length > 0 && edge(blocks.at(-1), 1) > edge(block, -1)) {
      block = [...blocks.pop(), ...block];
    }
    blocks.push(block);
  }
  return blocks.flatMap((block) => {
    const top = block.reduce((sum, { y }) => sum + y, 0) / block.length;
    return block.map((label, i) => ({
      ...label,
      at: top + (i - (block.length - 1) / 2) * LABEL_LINE,
    }));
  });
}

/** A type's line, with circles where it was built, and the label at its end. */
function curveOf({ type, options, curve, built = [] }) {
  const color = GROUP_OF[type] ?? 'changes';
  const points = curve.filter(
    ({ rate, bitsPerKey }) => rate >= LAST_RATE && rate <= RATES[0] && bitsPerKey <= MOST_BITS,
  );
  const circles = built.map(({ keys, payloadBytes, designedRate }) => {
    const at = { cx: xOf(designedRate), cy: yOf((8 * payloadBytes) / keys), r: 3 };
    return element('circle', { ...at, fill: 'var(--paper)', stroke: `var(--${color})` });
  });
  const dashes = options?.arity === 3 ? { 'stroke-dasharray': '5 3' } : {};
  const drawn = line(points, color, { 'stroke-width': color === 'once' ? 3 : 1.75, ...dashes });
  const label = options?.arity ? `${type}, ${options.arity}-wise` : type;
  return { label, color, end: points.at(-1), drawn, circles: circles.join('') };
}

/** A theory's line: a factor of the least that is possible. */
function limitOf(label, factor) {
  const points = [RATES[0], RATES.at(-1)].map((rate) => ({
    rate,
    bitsPerKey: factor * Math.log2(1 / rate),
  }));
  const drawn = line(points, 'ink', { 'stroke-width': 2, 'stroke-dasharray': '2 5' });
  return { label, color: 'ink', end: points[1], drawn, circles: '' };
}

/** The results as an SVG document. */
export function chart({ types, curveKeys }) {
  const lines = [
    ...Object.values(types).map(curveOf),
    limitOf('limit: log2(1/rate)', 1),
    limitOf('Bloom: 1.44 log2(1/rate)', 1 / Math.log(2)),
  ].map((one) => ({ ...one, x: xOf(one.end.rate), y: yOf(one.end.bitsPerKey) }));
  const isWhole = ({ end }) => end.rate < 2 * RATES.at(-1);
  const title = 'Bits per key against the rate of false positives';
  const about = `${number(curveKeys)} keys. Lines: what sizeFor says; circles: the payload of filters that were built.`;
  let left = 16;
  const keys = Object.entries(GROUPS).map(([group, label]) => {
    const bar = { x: left, y: 68, width: 14, height: 4, rx: 2, fill: `var(--${group})` };
    const shown = element('rect', bar) + text(left + 20, 75, group, label);
    left += 44 + 7.5 * label.length;
    return shown;
  });
  const right = { 'text-anchor': 'end' };
  const grid = [0, 10, 20, 30, 40, 50, 60].map(
    (bits) =>
      element('path', { d: `M${LEFT} ${round(yOf(bits))}H${RIGHT}`, stroke: 'var(--grid)' }) +
      text(LEFT - 8, yOf(bits) + 4, 'ink', bits, right),
  );
  const rates = RATES.map(
    (rate) =>
      element('path', { d: `M${round(xOf(rate))} ${TOP}V${BOTTOM}`, stroke: 'var(--grid)' }) +
      text(xOf(rate), BOTTOM + 20, 'ink', `1 in ${number(Math.round(1 / rate))}`, {
        'text-anchor': 'middle',
      }),
  );
  const labels = spread(lines.filter(isWhole)).map(
    ({ x, y, at, color, label }) =>
      element('path', {
        d: `M${round(x)} ${round(y)}L${RIGHT + 12} ${round(at)}`,
        stroke: `var(--${color})`,
        'stroke-opacity': 0.6,
      }) + text(RIGHT + 16, at + 4, color, label),
  );
  const leaving = lines.filter((one) => !isWhole(one));
  const parts = [
    element('title', {}, title),
    element('style', {}, STYLE),
    element('rect', { width: WIDTH, height: HEIGHT, rx: 6, fill: 'var(--paper)' }),
    text(16, 30, 'ink', title, { style: 'font-size: 18px; font-weight: 600' }),
    text(16, 52, 'faint', about),
    ...keys,
    text(16, TOP - 8, 'faint', 'bits per key'),
    text(RIGHT, HEIGHT - 12, 'faint', 'strangers that pass', right),
    ...grid,
    ...rates,
    // Circles last, theory's dots over the lines of those that reach them.
    ...lines.map(({ drawn }) => drawn),
    ...lines.map(({ circles }) => circles),
    ...labels,
    ...leaving.map(({ x, y, color, label }) => text(x - 6, y + 4, color, label, right)),
  ];
  const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
  const head = { xmlns: 'http://www.w3.org/2000/svg', role: 'img', ...size };
  return `${element('svg', head, `\n${parts.filter(Boolean).join('\n')}\n`)}\n`;
}
