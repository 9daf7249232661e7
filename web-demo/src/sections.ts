// The sections below the first answer: each is a script of its own, which is fetched when it comes near.
import { announceFromNowOn } from './dom';
import type { Page } from './page';

interface Section {
  start(page: Page): void;
}

const loaders: Readonly<Record<string, () => Promise<Section>>> = {
  figure: () => import('./figure-section'),
  bits: () => import('./bits-section'),
  chooser: () => import('./chooser-section'),
  calculator: () => import('./calculator-section'),
  drop: () => import('./drop-section'),
  lab: () => import('./lab-section'),
  once: () => import('./once-section'),
};

const AHEAD = '200px 0px';

/** Starts each section of the page once: when it comes near, or something in it gets the focus. */
export function watchSections(page: Page, onTrouble: (error: unknown) => void): void {
  const started = new Set<string>();
  const start = async (element: Element): Promise<void> => {
    const name = element.getAttribute('data-section') ?? '';
    const load = loaders[name];
    if (load === undefined || started.has(name)) return;
    started.add(name);
    try {
      const section = await load();
      section.start(page);
    } catch (error) {
      onTrouble(error);
    }
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        void start(target);
      }
    },
    { rootMargin: AHEAD },
  );
  for (const element of document.querySelectorAll('[data-section]')) {
    near.observe(element);
    element.addEventListener('focusin', () => start(element), { once: true });
  }
  for (const element of document.querySelectorAll('section')) announceFromNowOn(element);
}
