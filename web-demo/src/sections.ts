// Sections below the first answer. Each is a script of its own, which is fetched when the section comes near.
import { announceFromNowOn } from './dom';

/** Functions that fetch the script of each section and start it, keyed by the section's `data-section`. */
export type Starters<Page> = Readonly<Record<string, (page: Page) => Promise<unknown>>>;

const AHEAD = '200px 0px';

/** Starts each section of the page once: when it comes near, or when something in it receives the focus. */
export function watchSections<Page>(
  starters: Starters<Page>,
  page: Page,
  onTrouble: (error: unknown) => void,
): void {
  const started = new Set<string>();
  const start = async (element: Element): Promise<void> => {
    const name = element.getAttribute('data-section') ?? '';
    const begin = starters[name];
    if (begin === undefined || started.has(name)) return;
    started.add(name);
    await begin(page).catch(onTrouble);
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
  announceFromNowOn();
}
