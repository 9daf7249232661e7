// The worker: looks up each page that a tab opens. The browser ends it after half a minute without work, and wakes it
// for the next page. So all lasting state is in storage. Listeners are added before any await: later ones would miss
// the event that wakes the worker.
import { onGuardChange, openGuard, readLists, setLists } from './guard.js';
import { countHeld, findHeld, hold, refreshHeld, release } from './held.js';

onGuardChange(refreshHeld);

async function setUp() {
  await chrome.alarms.create('update', { periodInMinutes: 30 });
  await openGuard();
}
chrome.runtime.onInstalled.addListener(async ({ reason }) => {
  setUp().catch(() => {});
  if (reason === 'install' && Object.keys(await readLists()).length === 0) {
    await chrome.runtime.openOptionsPage();
  }
});
chrome.runtime.onStartup.addListener(() => setUp().catch(() => {}));
chrome.action.onClicked.addListener(() => chrome.runtime.openOptionsPage());

async function update() {
  const guard = await openGuard();
  // A failure is in the status, and the next alarm tries again.
  await guard?.update();
  if (guard) await refreshHeld(guard);
}
chrome.alarms.onAlarm.addListener(() => update().catch(() => {}));

const ownPages = chrome.runtime.getURL('');
const isWebPage = (url) => /^https?:\/\//.test(url);

/** The address that each tab opens, until its verdict. If the tab has left it by then, the verdict is ignored. */
const looking = new Map();
chrome.tabs.onRemoved.addListener((tabId) => looking.delete(tabId));

/** The texts of the button. None says that a page is good. */
const buttons = {
  safe: ['', 'not on the lists'],
  opened: ['!', 'opened because you said so'],
  note: ['i', 'on the list'],
  invalid: ['?', 'no web page, and so not checked'],
  unknown: ['?', 'this page could not be checked'],
};

async function showOnButton(tabId, state, label) {
  const [text, words] = buttons[state];
  const title = state === 'note' ? `${words} "${label}"` : words;
  await chrome.action.setBadgeBackgroundColor({ tabId, color: '#8a4600' });
  await chrome.action.setBadgeText({ tabId, text });
  await chrome.action.setTitle({ tabId, title: `URL check: ${title}` });
}

/** The name of a list as its publisher shows it to users. */
const labelOf = (guard, name) => guard?.status[name]?.label ?? name;

async function canOverride({ name }) {
  const lists = await readLists();
  // An address that the user has blocked opens again only when the user removes that block.
  return name !== undefined && lists[name]?.canOverride !== false;
}

/**
 * Checks a page while it loads. Chromium lets only extensions that a company's policy installs stop a first visit.
 * 'unknown' means that a list or its confirmation is missing; it and 'invalid' are shown, because only 'safe' is safe.
 */
async function look({ tabId, frameId, url }) {
  if (frameId !== 0 || looking.get(tabId) === url) return;
  looking.set(tabId, url);
  if (url.startsWith(ownPages)) return;
  const guard = await openGuard().catch(() => undefined);
  const found = await guard?.verify(url).catch(() => undefined);
  if (looking.get(tabId) !== url) return;
  const { verdict = 'unknown', action, from, name } = found ?? {};
  if (verdict === 'unsafe' && action !== 'note') {
    const warning = `${chrome.runtime.getURL('warning.html')}?url=${url}`;
    const warned = chrome.tabs.update(tabId, { url: warning });
    if (name !== undefined) await hold(guard, url, found, await canOverride(found));
    await warned;
    return;
  }
  looking.delete(tabId);
  if (verdict === 'safe' && from !== 'override') await release(guard, url);
  const state = { unsafe: 'note', safe: from === 'override' ? 'opened' : 'safe' }[verdict];
  await showOnButton(tabId, state ?? verdict, labelOf(guard, name));
}

const { onBeforeNavigate, onCommitted, onHistoryStateUpdated } = chrome.webNavigation;
// The events come before the page loads, after redirects, and when a page changes its own address.
for (const event of [onBeforeNavigate, onCommitted, onHistoryStateUpdated]) {
  // The call rejects if the tab is already closed.
  event.addListener((details) => look(details).catch(() => {}));
}

/** The reason to block an address, for the warning. */
async function explain({ url }) {
  if (!isWebPage(url)) return { verdict: 'invalid' };
  const guard = await openGuard();
  let found = await guard?.verify(url);
  if (found === undefined || found.verdict === 'unknown') {
    const record = await findHeld(url);
    // The server does not answer now, but did when the address was found.
    if (record) {
      const { action } = (await readLists())[record.name] ?? {};
      found = { verdict: 'unsafe', action, also: [], ...record };
    }
  }
  const { verdict = 'unknown', action, name, also, expression, threats, foundMs } = found ?? {};
  if (verdict !== 'unsafe') return { verdict };
  const { report, severity, ageMs } = guard?.status[name] ?? {};
  const madeMs = ageMs === undefined ? undefined : Date.now() - ageMs;
  const canGoOn = await canOverride({ name });
  const [label, ...others] = [name, ...also].map((one) => labelOf(guard, one));
  const shown = { label, report, severity, madeMs, foundMs, canGoOn };
  return { verdict, action, name, also: others, expression, threats, ...shown };
}

/** Opens the host of an address for a time, since the user wants to open it all the same. */
async function goOn({ url, forMs }) {
  const { verdict, canGoOn } = await explain({ url });
  if (verdict === 'invalid') throw new Error('this address leads to no web page');
  const guard = await openGuard();
  if (verdict === 'unsafe') {
    if (!canGoOn) throw new Error('nobody opens what this list has');
    await guard.overrides.add({ url, scope: 'host', verdict: 'allow', forMs });
    await refreshHeld(guard);
  } else if (guard) {
    await release(guard, url);
  }
}

/** The status for the options page, with errors as texts. */
async function tellStatus() {
  const lists = await readLists();
  try {
    const guard = await openGuard();
    const entries = Object.entries(guard?.status ?? {});
    const status = entries.map(([name, one]) => [name, { ...one, error: one.error?.message }]);
    const overrides = guard?.overrides.list() ?? [];
    return { lists, status: Object.fromEntries(status), overrides, held: await countHeld() };
  } catch ({ message }) {
    return { lists, status: {}, overrides: [], held: 0, error: message };
  }
}

/** Answers to the extension's own pages. No other page can ask: there are no content scripts and no connections. */
const answers = {
  explain,
  goOn,
  tellStatus,
  update,
  setLists: ({ lists }) => setLists(lists),
  async removeOverride({ override }) {
    const guard = await openGuard();
    await guard.overrides.remove(override);
    await refreshHeld(guard);
  },
};

chrome.runtime.onMessage.addListener(({ ask, ...details }, _sender, respond) => {
  answers[ask](details).then(
    (answer) => respond({ answer }),
    ({ message }) => respond({ error: message }),
  );
  return true; // the answer comes later
});
