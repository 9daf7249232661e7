import { type Remote, transfer, wrap } from 'comlink';
import { announceFromNowOn, byId, copyButton } from '../dom';
import { showSizes } from '../figures-view';
import { plural } from '../format';
import { CheckView } from './check-view';
import type { DemoChecker } from './checker-worker';
import { EXAMPLES } from './examples';
import { FeedsView } from './feeds-view';
import { type Connection, GuardView } from './guard-view';
import { HISTORY_FILE } from './history';
import { showList } from './list-view';
import { showLookUp } from './look-up-view';
import { PrivacyView } from './privacy-view';
import type { Damage, PublisherState, Source, Update } from './protocol';
import type { PublisherDesk } from './publisher-worker';
import { showSeen } from './seen-view';
import { sentenceOf, UpdatesView } from './updates-view';

const publishButton = byId('publish', HTMLButtonElement);
const updateButton = byId('update', HTMLButtonElement);
const offlineButton = byId('offline', HTMLButtonElement);
const forgetButton = byId('forget', HTMLButtonElement);
const damageButton = byId('damage', HTMLButtonElement);
const damageWhat = byId('damage-what', HTMLSelectElement);
const published = byId('published', HTMLParagraphElement);
const updated = byId('updated', HTMLParagraphElement);
const offlineReady = byId('offline-ready', HTMLParagraphElement);

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function showTrouble(error: unknown): void {
  const trouble = byId('trouble', HTMLParagraphElement);
  trouble.hidden = false;
  trouble.textContent = messageOf(error);
}

/** The service worker keeps the page's own files, so that it opens without a network. */
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

/** A button of the desk: what they do is done one after the other. */
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

/** The desk of the fourth section: publish, update, and all that may go wrong. */
function setUpDesk(
  checker: Remote<DemoChecker>,
  publisher: Remote<PublisherDesk>,
  updates: UpdatesView,
  guard: GuardView,
  onList: () => Promise<void>,
): (update: Update) => Promise<void> {
  const show = async (update: Update): Promise<void> => {
    await onList();
    damageButton.ariaPressed = String((await checker.damage) !== undefined);
    updated.textContent = sentenceOf(update);
    showSeen(await publisher.seen());
    updates.add(update);
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
    updates.clear();
    const update = await checker.forget();
    if (update) await show(update);
  });
  onPress(offlineButton, async () => {
    offlineButton.ariaPressed = String(!isPressed(offlineButton));
    const isOffline = isPressed(offlineButton);
    await checker.setOffline(isOffline);
    guard.setOffline(isOffline);
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

async function start(feeds: FeedsView): Promise<void> {
  const worker = new Worker(new URL('./checker-worker.ts', import.meta.url), { type: 'module' });
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
  const checker = wrap<DemoChecker>(worker);
  const publisherWorker = new Worker(new URL('./publisher-worker.ts', import.meta.url), {
    type: 'module',
  });
  publisherWorker.addEventListener('error', ({ message }) => showTrouble(new Error(message)));
  const publisher = wrap<PublisherDesk>(publisherWorker);
  const { port1, port2 } = new MessageChannel();
  await publisher.connect(transfer(port1, [port1]));
  const state = await publisher.start(new URL(HISTORY_FILE, document.baseURI).href);
  const address = (path: string): string => new URL(path, location.href).href;
  const source: Source = {
    manifest: address('lists/manifest.json'),
    confirm: address('confirm'),
    publicKey: state.publicKey,
  };
  const opened = checker.open(source, transfer(port2, [port2]));
  const first = await Promise.race([failed, opened]);

  const updates = new UpdatesView();
  const privacy = new PrivacyView();
  const check = new CheckView(checker, {
    onLookUp: showLookUp,
    onChecked: (count) => privacy.countChecked(count),
    onConfirmed: async (url, confirmation, lookUp) => {
      showSeen(await publisher.seen());
      privacy.add(url, confirmation, lookUp);
    },
  });
  const connect = async (): Promise<Connection> => {
    const { port1: theirs, port2: port } = new MessageChannel();
    await publisher.connect(transfer(theirs, [theirs]));
    return { source, port };
  };
  const guard = new GuardView(connect, async (url, { confirmation }) => {
    if (confirmation === undefined) return;
    showSeen(await publisher.seen());
    privacy.add(url, confirmation, await checker.lookUp(url));
  });
  feeds.tellList((list) => guard.setList(list));
  const onList = async (): Promise<void> => {
    guard.update();
    const inUse = await checker.state();
    showList(inUse);
    check.entries = inUse.entries;
    await check.check();
  };
  showPublisher(state);
  const show = setUpDesk(checker, publisher, updates, guard, onList);
  copyButton(
    byId('copy-snippet', HTMLButtonElement),
    () => byId('snippet', HTMLElement).textContent,
  );
  byId('source', HTMLParagraphElement).textContent =
    `The list: ${plural(state.entries, 'host')} of npm eth-phishing-detect and ` +
    'disposable-email-domains.';
  await onList();
  await check.setText(EXAMPLES.good[1].text);
  // The stored list answers; what is newer may come while it does.
  await show(first ?? (await checker.update()));
}

for (const section of document.querySelectorAll('section')) announceFromNowOn(section);
void keepPage();
start(new FeedsView()).catch((error: unknown) => {
  // Without its publisher's key the page answers nothing: missing data is never a "not listed".
  showTrouble(error);
  for (const id of ['verdict-word', 'guard-word']) {
    byId(id, HTMLParagraphElement).textContent = 'No list, no answer';
  }
});
