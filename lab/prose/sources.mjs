// The files that the prose lint reads, and the text of each as Markdown.

import { chunksOfCpp, chunksOfTypeScript, linesFrom } from './comments.mjs';
import { chunksOfHtml } from './pages.mjs';

/** The documents, the sources with comments, and the sources whose strings people see. */
const documents = /^(?:[A-Z_-]+|cpp\/FORMAT|lab\/bench\/README|docs\/.+)\.md$/;
const notDocuments = /^(?:THIRD-PARTY-NOTICES\.md|docs\/(?:node_modules|api|\.vitepress)\/)/;
const sources =
  /^(?:js|lab|web-demo|bindings|cpp|docs\/\.vitepress)\/.+\.(?:ts|mjs|js|cpp|hpp|def)$/;
const shown = /^(?:js\/src|web-demo\/src)\/|\.def$/;
/** Sources whose strings are shell scripts. */
const notShown = /^js\/src\/node\/frame\/shells\.ts$/;

const pages = /^web-demo\/[\w-]+\.html$/;

/** True if the lint reads the file. */
export const isLinted = (file) =>
  (documents.test(file) && !notDocuments.test(file)) || sources.test(file) || pages.test(file);

/** A rule between two texts, so that they do not become one paragraph. */
const apart = (line) => ['', '***', ''].map((text) => ({ text, line }));

/** The chunks of the comments in a document's programs. */
function chunksOfPrograms(text) {
  const chunks = [];
  for (const { index, groups } of text.matchAll(
    /^ *```(?:ts|js|mjs)\b[^\n]*\n(?<code>[\s\S]*?)^ *```/gm,
  )) {
    const first = text.slice(0, text.indexOf('\n', index)).split('\n').length;
    for (const chunk of chunksOfTypeScript(groups.code, { strings: false }))
      chunks.push(chunk.map(({ text, line }) => ({ text, line: first + line })));
  }
  return chunks;
}

/** The chunks of a file. For a document, they are those of its programs. */
function chunksOf(text, file) {
  if (file.endsWith('.md')) return chunksOfPrograms(text);
  if (file.endsWith('.html')) return chunksOfHtml(text);
  const strings = shown.test(file) && !notShown.test(file);
  const read = /\.(?:cpp|hpp|def)$/.test(file) ? chunksOfCpp : chunksOfTypeScript;
  return read(text, { strings });
}

/** A file as Markdown, the line of the file that each of its lines comes from, and the lines that open a comment. */
export async function markdownOf(text, file) {
  const isDocument = file.endsWith('.md');
  const lines = isDocument ? [...linesFrom(text, 1), ...apart(text.split('\n').length)] : [];
  for (const chunk of await chunksOf(text, file)) lines.push(...chunk, ...apart(chunk.at(-1).line));
  const markdown = lines.map((line) => line.text).join('\n');
  const openings = new Set(lines.flatMap(({ opens }, i) => (opens ? [i + 1] : [])));
  return { markdown, openings, lineOf: (line) => lines[line - 1].line };
}
