import { listInfo } from 'virtual:list-info';
import { version } from 'tamis';
import { CheckView } from './check-view';
import { byId, showTrouble } from './dom';
import { showFigures } from './figures-view';
import { integer } from './format';
import { FILTER_URL, type ListInfo, loadFilter } from './list';
import { Page } from './page';
import { type Starters, watchSections } from './sections';

const sections: Starters<Page> = {
  figure: async () => (await import('./figures')).defineFigures({ listUrl: FILTER_URL }),
  bits: async (page) => (await import('./bits-section')).start(page),
  chooser: async () => new (await import('./chooser/chooser-view')).ChooserView(),
  drop: async () => new (await import('./drop/drop-view')).DropView(),
  lab: async (page) => (await import('./lab-section')).start(page),
  once: async () => new (await import('./once-view')).OnceView(),
};

function showSource({ list, version: listVersion, hosts, builtOn }: ListInfo): void {
  byId('source', HTMLParagraphElement).textContent =
    `The list: ${integer(hosts)} hosts of npm ${list} ${listVersion}. The filter was built on ` +
    `${builtOn} with tamis ${version}.`;
}

/** The host that a link to this page names. The anchor `#host` of the skip link names none. */
function linkedHost(): string | null {
  return new URLSearchParams(location.hash.replace(/^#/, '')).get('host') || null;
}

async function start(): Promise<void> {
  const filter = await loadFilter();
  const page = new Page(filter, listInfo);
  const check = new CheckView(page);
  check.setText(linkedHost() ?? listInfo.picks.legitimate[0] ?? '');
  showFigures(filter, listInfo);
  showSource(listInfo);
  addEventListener('hashchange', () => {
    const host = linkedHost();
    if (host !== null) check.setText(host);
  });
  // The answer is painted before anything else is fetched.
  requestAnimationFrame(() => setTimeout(() => watchSections(sections, page, showTrouble)));
}

// Older links to the calculator lead to this page.
if (location.hash === '#calculator') location.replace(`./calculator.html${location.search}`);

start().catch((error: unknown) => {
  // Without its filter the page gives no answer: missing data never means "not listed".
  showTrouble(error);
  byId('verdict-word', HTMLParagraphElement).textContent = 'No filter, no answer';
});
