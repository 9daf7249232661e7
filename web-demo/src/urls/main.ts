import { firstList } from 'virtual:first-list';
import { type Remote, transfer, wrap } from 'comlink';
import { byId, copyTextButton, showTrouble } from '../dom';
import { showSizes } from '../figures-view';
import { messageOf, plural } from '../format';
import { watchSections } from '../sections';
import { CheckView } from './check-view';
import type { DemoChecker } from './checker-worker';
import { EXAMPLES } from './examples';
import { showList } from './list-view';
import { showLookUp } from './look-up-view';
import { PrivacyView } from './privacy-view';
import type { Damage, PublisherState, Source, Update } from './protocol';
import type { PublisherDesk } from './publisher-worker';
import { showSeen } from './seen-view';
import { sentenceOf, UpdatesView } from './updates-view';
import { connect, UrlsPage } from './urls-page';

const FIRST_FILE = 'first-list.tamis';
const HISTORY_FILE = 'publisher-history.bin';

/** Sections that are fetched when they come near. */
const sections = {
  async chart({ updates }: UrlsPage) {
    const { EntriesChart } = await import('./entries-chart');
    updates.showIn(new EntriesChart(byId('chart', HTMLDivElement)));
  },
  async feeds(page: Pick<UrlsPage, 'ownList'>) {
    const { FeedsView } = await import('./feeds-view');
    new FeedsView((list) => {
      page.ownList = list;
    });
  },
  guard: async (page: UrlsPage) => (await import('./guard-section')).start(page),
};

const publishButton = byId('publish', HTMLButtonElement);
const updateButton = byId('update', HTMLButtonElement);
const offlineButton = byId('offline', HTMLButtonElement);
const forgetButton = byId('forget', HTMLButtonElement);
const damageButton = byId('damage', HTMLButtonElement);
const damageWhat = byId('damage-what', HTMLSelectElement);
const published = byId('published', HTMLParagraphElement);
const updated = byId('updated', HTMLParagraphElement);
const offlineReady = byId('offline-ready', HTMLParagraphElement);

/** The service worker stores the page's own files, so that the page opens without a network. */
async function keepPage(): Promise<void> {
  try {
    await navigator.serviceWorker.register('service-worker.js');
    await navigator.serviceWorker.ready;
    offlineReady.textContent = 'This page now works offline: reload it without a network.';
  } catch (error) {
    offlineReady.textContent = `This page will not open offline: ${messageOf(error)}`;
  }
}

function showPublisher({ version, next, sizes }: PublisherState): void {
  showSizes(sizes, 'What travels here');
  published.textContent = `Published: ${version}. ${next ? `Next: ${next}.` : 'The history ends here.'}`;
  publishButton.textContent = next ? 'Publish the next version' : 'Publish it for another week';
}

let turn = Promise.resolve();

/** A button of the desk. The actions of these buttons run one after the other. */
function onPress(button: HTMLButtonElement, act: () => Promise<void>): void {
  button.disabled = false;
  button.addEventListener('click', () => {
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true'; // not `disabled`, which would drop the keyboard's focus
    const tell = (error: unknown): void => {
      updated.textContent = messageOf(error);
    };
    turn = turn.then(act).catch(tell);
    turn.then(() => {
      button.ariaDisabled = 'false';
    });
  });
}

function isPressed(button: HTMLButtonElement): boolean {
  return button.ariaPressed === 'true';
}

/** The desk of the fourth section: it publishes, updates, and causes each kind of failure. */
function setUpDesk(
  checker: Remote<DemoChecker>,
  publisher: Remote<PublisherDesk>,
  page: UrlsPage,
  onList: () => Promise<void>,
): (update: Update) => Promise<void> {
  const show = async (update: Update): Promise<void> => {
    await onList();
    damageButton.ariaPressed = String((await checker.damage) !== undefined);
    updated.textContent = sentenceOf(update);
    showSeen(await publisher.seen());
    page.updates.add(update);
  };
  const setDamage = (): Promise<void> =>
    checker.setDamage(isPressed(damageButton) ? (damageWhat.value as Damage) : undefined);

  onPress(publishButton, async () => {
    published.textContent = 'Building and signing ...';
    try {
      showPublisher(await publisher.next());
      updated.textContent = 'The publisher has something newer.';
    } catch (error) {
      published.textContent = `Nothing published: ${messageOf(error)}`;
    }
  });
  onPress(updateButton, async () => show(await checker.update()));
  onPress(forgetButton, async () => {
    page.updates.clear();
    const update = await checker.forget();
    if (update) await show(update);
  });
  onPress(offlineButton, async () => {
    offlineButton.ariaPressed = String(!isPressed(offlineButton));
    const isOffline = isPressed(offlineButton);
    await checker.setOffline(isOffline);
    page.isOffline = isOffline;
    updated.textContent = isOffline
      ? 'The list and the confirm server are out of reach now. What you check is still answered.'
      : 'The publisher is back in reach.';
  });
  onPress(damageButton, async () => {
    damageButton.ariaPressed = String(!isPressed(damageButton));
    await setDamage();
  });
  damageWhat.addEventListener('change', setDamage);
  return show;
}

/** The worker that holds the list. It is fetched while the publisher starts. */
function startChecker(): { checker: Remote<DemoChecker>; failed: Promise<never> } {
  const worker = new Worker(new URL('./checker-worker.ts', import.meta.url), { type: 'module' });
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
  return { checker: wrap<DemoChecker>(worker), failed };
}

function startPublisher(): Remote<PublisherDesk> {
  const worker = new Worker(new URL('./publisher-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('error', ({ message }) => showTrouble(new Error(message)));
  return wrap<PublisherDesk>(worker);
}

function showFoot({ entries }: PublisherState): void {
  copyTextButton('copy-snippet', byId('snippet', HTMLElement));
  byId('source', HTMLParagraphElement).textContent =
    `The list: ${plural(entries, 'host')} of npm eth-phishing-detect and ` +
    'disposable-email-domains.';
}

async function start(): Promise<void> {
  const { checker, failed } = startChecker();
  const publisher = startPublisher();
  const port = await connect(publisher);
  const address = (path: string): string => new URL(path, document.baseURI).href;
  const state = await publisher.start({
    first: firstList,
    firstUrl: address(FIRST_FILE),
    historyUrl: address(HISTORY_FILE),
  });
  const source: Source = {
    manifest: address('lists/manifest.json'),
    confirm: address('confirm'),
    publicKey: state.publicKey,
  };
  const first = await Promise.race([failed, checker.open(source, transfer(port, [port]))]);

  const privacy = new PrivacyView();
  const showQuestion: UrlsPage['showQuestion'] = async (url, confirmation, lookUp) => {
    showSeen(await publisher.seen());
    privacy.add(url, confirmation, lookUp ?? (await checker.lookUp(url)));
  };
  // If this fails, the confirm server reports the error to its callers.
  const prepare = (): Promise<void> => publisher.prepare().catch(() => {});
  const check = new CheckView(checker, {
    onHit: prepare,
    onLookUp: showLookUp,
    onChecked: (count) => privacy.countChecked(count),
    onConfirmed: showQuestion,
  });
  const connection = async () => ({ source, port: await connect(publisher), prepare });
  const page = new UrlsPage(new UpdatesView(), connection, showQuestion);
  const showInUse = async (): Promise<void> => {
    const inUse = await checker.state();
    showList(inUse);
    check.entries = inUse.entries;
  };
  const onList = async (): Promise<void> => {
    page.tellUpdate();
    await showInUse();
    await check.check();
  };
  await showInUse();
  await check.setText(EXAMPLES.good[1].text);
  showPublisher(state);
  const show = setUpDesk(checker, publisher, page, onList);
  showFoot(state);
  // The answer is painted before anything else is fetched.
  requestAnimationFrame(() => setTimeout(() => finish(page)));
  // The stored list answers first. A newer one may arrive meanwhile.
  await show(first ?? (await checker.update()));
}

/** Starts everything that the first answer does not need. */
function finish(page: UrlsPage): void {
  watchSections(sections, page, showTrouble);
  void keepPage();
}

start().catch((error: unknown) => {
  // Without its publisher's key the page gives no answer: missing data never means "not listed".
  showTrouble(error);
  for (const id of ['verdict-word', 'guard-word']) {
    byId(id, HTMLParagraphElement).textContent = 'No list, no answer';
  }
  // Feeds are read without the publisher's key.
  watchSections({ feeds: sections.feeds }, { ownList: undefined }, showTrouble);
});
