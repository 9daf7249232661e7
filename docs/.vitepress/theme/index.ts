import { onContentUpdated, type Theme, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import { unfoldTarget, watchLinks } from './members';
// The styles come after VitePress's own, since they change those.
import 'virtual:tokens.css';
import './style.css';
import './home.css';
import { watchTables } from './tables';

/** The definition of each custom element. A page without the element does not fetch it. */
const elements: Readonly<Record<string, () => Promise<void>>> = {
  'tamis-figure': async () => {
    const { defineFigures } = await import('../../../web-demo/src/figures');
    defineFigures({ listUrl: withBase('/phishing.tamis') });
  },
  'tamis-bytes': async () => {
    const { defineBytes } = await import('./bytes/element');
    defineBytes();
  },
};

export default {
  extends: DefaultTheme,
  setup() {
    onMounted(watchLinks);
    onContentUpdated(() => {
      unfoldTarget();
      watchTables();
      for (const [name, define] of Object.entries(elements)) {
        if (document.querySelector(name) && !customElements.get(name)) void define();
      }
    });
  },
} satisfies Theme;
