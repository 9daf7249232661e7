import { readFileSync } from 'node:fs';
import type { Plugin } from 'vitepress';

const NAME = 'virtual:tokens.css';

/**
 * The custom properties of the demo as a style sheet, so that both have the same colours. In the dark theme VitePress
 * sets the class `dark`.
 */
export function tokens(file: string): Plugin {
  return {
    name: 'tokens',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load(id) {
      if (id !== `\0${NAME}`) return undefined;
      this.addWatchFile(file);
      const [light, dark] = [...readFileSync(file, 'utf8').matchAll(/:root \{([\s\S]*?)\}/g)];
      if (!light || !dark) throw new Error(`${file}: expected :root twice, for light and dark`);
      return `:root {${light[1]?.replace('light dark', 'light')}}\n.dark { color-scheme: dark;${dark[1]}}\n`;
    },
  };
}
