// The text that a page shows, in its blocks and its attributes. It comes as chunks, as in lab/prose/comments.mjs.

import htmlPlugin from 'textlint-plugin-html';

const { preProcess } = new htmlPlugin.Processor({}).processor('.html');

/** Elements within a sentence. Every other one ends it. */
const inline = new Set(
  'a abbr b bdi cite code dfn em i kbd mark output q s samp small span strong sub sup time u var'.split(
    ' ',
  ),
);
/** Elements that count as one word. */
const asWord = new Set(['code', 'kbd', 'samp', 'var', 'math', 'svg']);
const hidden = new Set(['script', 'style', 'svg', 'math']);
const cells = new Set(['td', 'th']);
/** Attributes whose text people see or hear, as the parser names them. */
const spoken = ['alt', 'ariaLabel', 'placeholder', 'title'];

const isMeta = ({ tagName, properties }) =>
  tagName === 'meta' && /description$/.test(properties?.name ?? properties?.property ?? '');

/** Chunks of a page. */
export async function chunksOfHtml(html) {
  const tree = await preProcess(html, 'page.html');
  const lineOf = (offset) => html.slice(0, offset).split('\n').length;
  const chunks = [];
  let pieces = [];
  const endBlock = (isCell = false) => {
    const text = pieces.map((piece) => piece.text).join('');
    const from = pieces.find((piece) => piece.text.trim() !== '');
    pieces = [];
    if (from === undefined) return;
    const start = lineOf(from.at + from.text.search(/\S/));
    if (isCell) {
      const cell = text.replaceAll('|', ' ').replace(/\s+/g, ' ');
      chunks.push([`| ${cell} |`, '| --- |'].map((line) => ({ text: line, line: start })));
      return;
    }
    const lines = text.trim().split('\n');
    chunks.push(lines.map((line, i) => ({ text: line.trim(), line: start + i })));
  };
  const visit = (node) => {
    const { type, tagName, range, properties = {} } = node;
    if (type === 'Str') pieces.push({ text: node.value, at: range[0] });
    if (tagName === undefined) {
      if (type !== 'Str') node.children?.forEach(visit);
      return;
    }
    const said = spoken.map((name) => properties[name]);
    for (const text of [...said, isMeta(node) ? properties.content : undefined])
      if (typeof text === 'string') chunks.push([{ text, line: lineOf(range[0]) }]);
    const isInline = inline.has(tagName) || asWord.has(tagName);
    if (!isInline) endBlock();
    if (asWord.has(tagName)) pieces.push({ text: '`code`', at: range[0] });
    else if (!hidden.has(tagName)) node.children?.forEach(visit);
    if (!isInline) endBlock(cells.has(tagName));
  };
  visit(tree.ast ?? tree);
  endBlock();
  return chunks;
}
