// The English in a source: its comments, and the strings that it shows. Each becomes lines of Markdown that know their
// line of the source: `{ text, line, opens }`, counted from 1. `opens`: a comment, or a tag in it, begins in this line.
// A chunk is a list of lines.

import ts from 'typescript';

/** The least words in a line of a shown string. Shorter lines are names, keys and formats. */
const fewestWords = 4;

const isProse = (text) =>
  (text.match(/(?<![\w-])[A-Za-z][a-z]+(?![\w-])/g)?.length ?? 0) >= fewestWords;

/** The chunk of a text, which begins in a line of the source. */
export const linesFrom = (text, line) =>
  text.split('\n').map((part, i) => ({ text: part, line: line + i }));

/** The label of a line of a table in a comment, with the gap of two spaces or more before its text. */
const tableRow = /^ *\S+(?: \S+)* {2,}(?=\S)/;

/** Ends a paragraph before each row of a table, and before each tag. Removes the labels and indents of rows. */
function toMarkdown(lines) {
  const chunk = [];
  let inRow = false;
  let inExample = false;
  for (const { text, line } of lines) {
    const tag = /^@(\w+)(?: (?:\{[^}]*\} )?)?/.exec(text);
    if (tag !== null) inExample = tag[1] === 'example';
    const label = tableRow.exec(text)?.[0];
    inRow = label !== undefined || (inRow && text.startsWith('   '));
    if (tag !== null || label !== undefined) chunk.push({ text: '', line });
    if (inExample) continue;
    const plain = (inRow ? text.slice(label?.length ?? 0).trim() : text).replace(
      /\{@link ([^}]*)\}/g,
      '`$1`',
    );
    const named = /^@(?:param|typeParam|template) (\S+)/.exec(plain);
    const shown = named ? plain.slice(named[0].length) : plain.replace(/^@\w+ ?/, '');
    const isFirst = shown.trim() !== '' && chunk.every((before) => before.text.trim() === '');
    chunk.push({ text: shown, line, ...((isFirst || tag !== null) && { opens: true }) });
  }
  return chunk;
}

/** The chunk of a comment, without its marks. */
function commentLines(text, line) {
  const inner = text.startsWith('/*') ? text.slice(2, -2).replace(/^\*+/, '') : text;
  const mark = text.startsWith('/*') ? /^\s*\*? ?/ : /^\s*\/\/\/?<? ?/;
  return linesFrom(inner, line).map(({ text, line }) => ({ text: text.replace(mark, ''), line }));
}

/** Chunks of comments `{ text, line, column, alone }`. Comments of // in consecutive lines are one chunk. */
function joinComments(comments) {
  const groups = [];
  for (const comment of comments) {
    const last = groups.at(-1)?.at(-1);
    const follows =
      last?.text.startsWith('//') &&
      comment.text.startsWith('//') &&
      comment.alone &&
      comment.line === last.line + 1 &&
      comment.column === last.column;
    if (follows) groups.at(-1).push(comment);
    else groups.push([comment]);
  }
  return groups.map((group) =>
    toMarkdown(group.flatMap(({ text, line }) => commentLines(text, line))),
  );
}

/** Returns a function that finds the place of an offset: its line and column, and if only blanks stand before it. */
function placesIn(text) {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return (offset) => {
    let line = starts.length;
    let low = 0;
    while (low < line) {
      const middle = (low + line) >> 1;
      if (starts[middle] <= offset) low = middle + 1;
      else line = middle;
    }
    const start = starts[line - 1];
    const alone = text.slice(start, offset).trim() === '';
    return { line, column: offset - start, alone };
  };
}

/** Text between quotes as it is shown. Lines of the source stay lines. */
const plainOf = (raw) => raw.replace(/\\n/g, '  ').replace(/\\(["'`\\])/g, '$1');

/** The text of a string, of a template, or of a sum of them; undefined for anything else. */
function shownText(node, source) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return plainOf(node.getText(source).slice(1, -1));
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ literal }) =>
      literal.getText(source).replace(/\$\{$|`$/, ''),
    );
    const head = node.head.getText(source).slice(1, -2);
    return plainOf(head + spans.map((text) => `X${text.slice(1)}`).join(''));
  }
  if (ts.isParenthesizedExpression(node)) return shownText(node.expression, source);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return;
  const sides = [node.left, node.right].map((side) => shownText(side, source));
  if (sides.every((side) => side === undefined)) return;
  return sides.map((side) => side ?? 'X').join('');
}

/** Chunks of a TypeScript or JavaScript source: its comments and, if `strings`, its strings. */
export function chunksOfTypeScript(text, { strings }) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const place = placesIn(text);
  const comments = new Map();
  const chunks = [];
  const keep = ({ pos, end }) => comments.set(pos, { text: text.slice(pos, end), ...place(pos) });
  const visit = (node, shows) => {
    const shown = shows ? shownText(node, source) : undefined;
    if (shown !== undefined && isProse(shown))
      chunks.push(linesFrom(shown, place(node.getStart(source)).line));
    const children = node
      .getChildren(source)
      .filter(
        ({ kind }) => kind < ts.SyntaxKind.FirstJSDocNode || kind > ts.SyntaxKind.LastJSDocNode,
      );
    if (children.length === 0) {
      for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) keep(range);
      for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) keep(range);
    }
    for (const child of children) visit(child, shows && shown === undefined);
  };
  visit(source, strings);
  const inOrder = [...comments].sort(([a], [b]) => a - b).map(([, comment]) => comment);
  return [...joinComments(inOrder), ...chunks];
}

/** The comments and strings of a C++ source. Raw strings and quoted characters are skipped whole. */
const cppToken =
  /(?<comment>\/\/(?:\\\n|[^\n])*|\/\*[\s\S]*?\*\/)|R"(?<mark>[^(\s]*)\([\s\S]*?\)\k<mark>"|(?<string>"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)|(?<![\da-fA-F])'(?:\\.|[^'\\\n])+'/g;

/** Chunks of a C++ source: its comments and, if `strings`, its strings. */
export function chunksOfCpp(text, { strings }) {
  const place = placesIn(text);
  const comments = [];
  const chunks = [];
  for (const { index, groups } of text.matchAll(cppToken)) {
    const { comment, string } = groups;
    if (comment !== undefined) comments.push({ text: comment, ...place(index) });
    else if (strings && string !== undefined) {
      const shown = plainOf(string.slice(1, -1).replace(/"\s*"/g, ''));
      if (isProse(shown)) chunks.push(linesFrom(shown, place(index).line));
    }
  }
  return [...joinComments(comments), ...chunks];
}
