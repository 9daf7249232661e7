import { onContentUpdated, type Theme, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import { unfoldTarget, watchLinks } from './members';
// The styles come after VitePress's own, since they change those.
import 'virtual:tokens.css';
import './style.css';
import './home.css';
import { watchTables } from './tables';

/** Defines the figures, if the page has one. A page without a figure does not fetch their code. */
async function defineFigures(): Promise<void> {
  if (!document.querySelector('tamis-figure') || customElements.get('tamis-figure')) return;
  const figures = await import('../../../web-demo/src/figures');
  figures.defineFigures({ listUrl: withBase('/phishing.tamis') });
}

export default {
  extends: DefaultTheme,
  setup() {
    onMounted(watchLinks);
    onContentUpdated(() => {
      unfoldTarget();
      watchTables();
      void defineFigures();
    });
  },
} satisfies Theme;
