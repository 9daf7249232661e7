// The command that installs the package. A repository's browser shows npm's alone; the site has a tab for each tool.
import type { MarkdownRenderer } from 'vitepress';

const COMMAND = /^```sh\nnpm install tamis\n```$/m;

const tabsOf = (version: string): string =>
  [
    ...['npm install', 'pnpm add', 'bun add'].map(
      (command) => `\`\`\`sh [${command.split(' ')[0]}]\n${command} tamis\n\`\`\``,
    ),
    `\`\`\`js [CDN]
import { BloomFilter } from 'https://cdn.jsdelivr.net/npm/tamis@${version}/dist/cdn/bloom.js';
\`\`\``,
  ].join('\n');

/** Makes markdown-it show the command with its tabs, which are a group of radio buttons with a name. */
export function installTabs(md: MarkdownRenderer, version: string): void {
  md.core.ruler.before('block', 'install-tabs', (state) => {
    state.src = state.src.replace(COMMAND, `::: code-group\n${tabsOf(version)}\n:::`);
  });
  const { rules } = md.renderer;
  const open = rules['container_code-group_open'];
  rules['container_code-group_open'] = (...args) =>
    (open?.(...args) ?? '').replace(
      'class="tabs"',
      '$& role="radiogroup" aria-label="Where the package comes from"',
    );
}
