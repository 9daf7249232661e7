// Lints one text with textlint: its kernel, and its Markdown.

import { TextlintKernel } from '@textlint/kernel';
import markdownPlugin from '@textlint/textlint-plugin-markdown';
import { rulesFor } from './rules.mjs';
import { markdownOf } from './sources.mjs';

const markdown = markdownPlugin.default ?? markdownPlugin;
const { preProcess } = new markdown.Processor().processor('.md');
const kernel = new TextlintKernel();

/** Quotes of other authors' texts, such as titles of papers and messages. */
const quoted = /"[^"]{1,200}"/g;

/** Joins the lines of each paragraph, and hides its quotes. Every letter stays at its place. */
function smooth(text) {
  let smoothed = text;
  const visit = (node) => {
    if (node.type === 'Paragraph') {
      const [start, end] = node.range;
      const joined = text.slice(start, end).replaceAll('\n', ' ');
      const plain = joined.replace(quoted, (quote) => quote.replace(/[^"]/g, 'x'));
      smoothed = smoothed.slice(0, start) + plain + smoothed.slice(end);
    } else if (node.type !== 'BlockQuote') node.children?.forEach(visit);
  };
  visit(preProcess(text, 'text.md'));
  return smoothed;
}

/** The findings in the text of a file: `{ line, message }`, in order. */
export async function lintProse(text, file) {
  const { markdown: source, openings, lineOf } = await markdownOf(text, file);
  const smoothed = smooth(source);
  const { messages } = await kernel.lintText(smoothed, {
    filePath: file,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown }],
    rules: rulesFor(smoothed, file, openings),
  });
  return messages
    .map(({ range, message }) => ({
      line: lineOf(source.slice(0, range[0]).split('\n').length),
      message,
    }))
    .sort((a, b) => a.line - b.line);
}
