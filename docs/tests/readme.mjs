// README.md as a site that hosts repositories shows it: rendered, with GitHub's style sheet.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import markdownIt from 'markdown-it';
import { root } from './site.mjs';

const require = createRequire(import.meta.url);
const css = readFileSync(require.resolve('github-markdown-css/github-markdown.css'), 'utf8');

/** The width in CSS pixels of the column that holds README on a wide screen, its margins included. */
const COLUMN_PX = 1012;

/** The page; its pictures lie inside, so that it needs no server. */
export function renderReadme() {
  const md = markdownIt({ html: true });
  const { image } = md.renderer.rules;
  md.renderer.rules.image = (tokens, index, ...rest) => {
    const picture = readFileSync(join(root, tokens[index].attrGet('src').split('/raw/main/')[1]));
    tokens[index].attrSet('src', `data:image/svg+xml;base64,${picture.toString('base64')}`);
    return image(tokens, index, ...rest);
  };
  const body = md.render(readFileSync(join(root, 'README.md'), 'utf8'));
  return `<!doctype html><html lang="en"><title>README</title>
<meta name="viewport" content="width=device-width">
<style>${css} body { margin: 0 } article { box-sizing: border-box; max-width: ${COLUMN_PX}px; padding: 32px }</style>
<article class="markdown-body">${body}</article></html>`;
}
