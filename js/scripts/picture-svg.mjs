// SVG files of the drawings that pictures.mjs collects from figures.

const FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
const MARGIN = 20;
const LINE = 22;

const round = (value) => String(Math.round(value * 100) / 100);

const escapeText = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An element as text; attributes that are undefined are left out. */
function tag(name, attributes, content = '') {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([attribute, value]) =>
        ` ${attribute}="${escapeText(String(value)).replaceAll('"', '&quot;')}"`,
    );
  return content === ''
    ? `<${name}${written.join('')}/>`
    : `<${name}${written.join('')}>${content}</${name}>`;
}

/** A file of that size. */
const svgOf = (width, height, more, content) =>
  `${tag(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      ...more,
      'font-family': FONT,
    },
    content.join('\n'),
  )}\n`;

/** Lines of at most `most` characters. */
function wrap(text, most) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

const declare = (style) =>
  Object.entries(style)
    .map(([property, value]) => `${property}:${value}`)
    .join(';');

/** Gives each pair of styles, of the light scheme and the dark one, a class of its own. */
class Classes {
  #names = new Map();

  /** The class of a pair. */
  name(light, dark = light) {
    const key = `${declare(light)}|${declare(dark)}`;
    if (!this.#names.has(key)) this.#names.set(key, { name: `c${this.#names.size}`, light, dark });
    return this.#names.get(key).name;
  }

  /** The rules of all classes. */
  rules() {
    const all = [...this.#names.values()];
    const rule = (scheme) =>
      all.map(({ name, ...styles }) => `.${name}{${declare(styles[scheme])}}`);
    return `${rule('light').join('')}@media (prefers-color-scheme: dark){${rule('dark').join('')}}`;
  }
}

function drawMarks({ light, dark }, classes) {
  return light.marks.map((mark, i) => {
    const style = classes.name(mark.style, dark.marks[i].style);
    const isText = mark.tag === 'text';
    return tag(
      mark.tag,
      {
        ...mark.attributes,
        transform: mark.x || mark.y ? `translate(${round(mark.x)} ${round(mark.y)})` : undefined,
        class: style,
        'text-anchor': isText ? mark.anchor : undefined,
        'dominant-baseline': isText ? 'central' : undefined,
      },
      isText ? escapeText(mark.text) : '',
    );
  });
}

/** A figure with its words below, as a file that follows the reader's scheme. */
export function picture({ light, dark }) {
  const classes = new Classes();
  const width = light.width + 2 * MARGIN;
  const marks = drawMarks({ light, dark }, classes);
  const lines = wrap(light.caption, Math.floor(light.width / 7.4));
  const top = light.height + MARGIN + 12;
  const height = top + LINE * (1 + lines.length) + 14;
  const colorOf = (name) => classes.name({ fill: light.colors[name] }, { fill: dark.colors[name] });
  const text = (y, content, style, more) =>
    tag('text', { x: MARGIN, y, class: style, ...more }, escapeText(content));
  const words = [
    text(top + 10, light.answer, colorOf('answer'), { 'font-size': 18, 'font-weight': 700 }),
    ...lines.map((line, i) =>
      text(top + 10 + LINE * (i + 1), line, colorOf('ink'), { 'font-size': 15 }),
    ),
  ];
  const paper = tag('rect', { width, height, rx: 12, class: colorOf('paper') });
  const drawing = tag('g', { transform: `translate(${MARGIN} ${MARGIN})` }, marks.join('\n'));
  return svgOf(width, height, { role: 'img' }, [
    tag('title', {}, escapeText(`${light.answer} ${light.caption}`.trim())),
    tag('style', {}, classes.rules()),
    paper,
    drawing,
    ...words,
  ]);
}

/** The room for the answer below the figure of the card. */
const ANSWER = 20;

/** The card of 1200 by 630 that stands for the project: its name, what it is, and a figure. */
export function card(drawing) {
  const classes = new Classes();
  const marks = drawMarks({ light: drawing, dark: drawing }, classes);
  const scale = Math.min(660 / drawing.width, (570 - ANSWER) / drawing.height);
  const left = 1170 - drawing.width * scale;
  const top = (630 - ANSWER - drawing.height * scale) / 2;
  const { ink, paper, answer } = drawing.colors;
  const text = (y, size, content, more) =>
    tag('text', { x: 50, y, 'font-size': size, fill: ink, ...more }, escapeText(content));
  return svgOf(1200, 630, {}, [
    tag('style', {}, classes.rules()),
    tag('rect', { width: 1200, height: 630, fill: paper }),
    text(150, 76, 'tamis', { 'font-weight': 700 }),
    text(250, 36, 'Is this key in'),
    text(298, 36, 'that huge set?'),
    text(400, 26, 'Filters for the web:'),
    text(436, 26, 'a few bits per key,'),
    text(472, 26, 'in browsers and in Node.'),
    tag(
      'g',
      { transform: `translate(${round(left)} ${round(top)}) scale(${round(scale)})` },
      marks.join('\n'),
    ),
    text(top + drawing.height * scale + 14, 18, drawing.answer, {
      x: round(left),
      fill: answer,
      'font-weight': 700,
    }),
  ]);
}
