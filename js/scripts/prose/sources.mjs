// Which files the prose lint reads, and how the text of each becomes Markdown.

import { chunksOfCpp, chunksOfTypeScript } from './comments.mjs';

/** The documents, the sources with comments, and of these the ones whose strings people see. */
const documents = /^(?:[A-Z-]+|cpp\/FORMAT|docs\/.+)\.md$/;
const notDocuments = /^(?:THIRD-PARTY-NOTICES\.md|docs\/(?:node_modules|api|\.vitepress)\/)/;
const sources =
  /^(?:js\/src|js\/scripts|bindings|cpp\/include|cpp\/src)\/.+\.(?:ts|mjs|js|cpp|hpp|def)$/;
const shown = /^(?:js\/src|web-demo\/src)\/|\.def$/;
/** Their strings are programs of shells. */
const notShown = /^js\/src\/node\/shells\.ts$/;

/** True if the lint reads the file. */
export const isLinted = (file) =>
  (documents.test(file) && !notDocuments.test(file)) || sources.test(file);

/** A rule between two texts, so that neither runs into the other. */
const between = ['', '***', ''];

/** The text of a file as Markdown, and the line of the file that each line of it comes from. */
export function markdownOf(text, file) {
  if (file.endsWith('.md')) return { markdown: text, lineOf: (line) => line };
  const read = /\.(?:cpp|hpp|def)$/.test(file) ? chunksOfCpp : chunksOfTypeScript;
  const lines = [];
  for (const chunk of read(text, { strings: shown.test(file) && !notShown.test(file) }))
    lines.push(...chunk, ...between.map((mark) => ({ text: mark, line: chunk.at(-1).line })));
  const markdown = lines.map((line) => line.text).join('\n');
  return { markdown, lineOf: (line) => lines[line - 1].line };
}
