import { readFileSync } from 'node:fs';
import type { Plugin } from 'vitepress';

const NAME = 'virtual:tokens.css';

/** The style sheet that the site shares with the demo. In the dark theme VitePress sets the class `dark`. */
export function tokens(file: string): Plugin {
  return {
    name: 'tokens',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load(id) {
      if (id !== `\0${NAME}`) return undefined;
      this.addWatchFile(file);
      const dark = /@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}/;
      const shared = readFileSync(file, 'utf8').replace(
        'color-scheme: light dark',
        'color-scheme: light',
      );
      if (!dark.test(shared)) throw new Error(`${file}: expected colours for the dark scheme`);
      return shared.replace(dark, '.dark { color-scheme: dark;$1}');
    },
  };
}
