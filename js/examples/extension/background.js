// The worker: looks up each page that a tab opens. The browser ends it after half a minute without work and wakes
// it for the next page, so all that lasts is in storage. The list is in IndexedDB, where it is open again in
// milliseconds, and the rest in chrome.storage. Listeners are there before anything is awaited: what wakes the
// worker would be lost to later ones.
import { UrlChecker } from 'tamis/url';

let opening;

/** The checker, opened once in each waking; undefined while nobody has said where lists come from. */
async function openChecker() {
  const { source } = await chrome.storage.local.get('source');
  if (source === undefined) return undefined;
  return UrlChecker.open({
    manifest: source.manifest,
    list: source.list,
    publicKeys: source.publicKeys,
    confirm: source.confirm,
    storage: 'indexeddb',
    onMissing: 'unknown',
    onConfirmError: 'unknown',
    updateEveryMs: 0, // a timer would end with the worker: the alarm below wakes it
  });
}

function checker() {
  opening ??= openChecker();
  return opening;
}

chrome.storage.local.onChanged.addListener(() => {
  opening?.then((opened) => opened?.close()).catch(() => {});
  opening = undefined;
});

function setUp() {
  chrome.alarms.create('update', { periodInMinutes: 30 });
}
chrome.runtime.onInstalled.addListener(({ reason }) => {
  setUp();
  if (reason === 'install') chrome.runtime.openOptionsPage();
});
chrome.runtime.onStartup.addListener(setUp);
// What fails is in the status, and is tried again at the next alarm.
chrome.alarms.onAlarm.addListener(() =>
  checker()
    .then((opened) => opened?.update())
    .catch(() => {}),
);

/** What each tab opens, until that is judged: a verdict on what it has left meanwhile means nothing. */
const looking = new Map();

/** Whether the user has said, since the browser started, to go on to that host. */
async function isAccepted(url) {
  const { accepted = [] } = await chrome.storage.session.get('accepted');
  return accepted.includes(new URL(url).host);
}

/**
 * The page loads while this goes on: only extensions that a company's policy installs may hold a
 * navigation. 'unknown', for want of a list or of its confirmation, is shown as such, and so is 'invalid':
 * only 'safe' means safe.
 */
async function look({ tabId, frameId, url }) {
  if (frameId !== 0) return;
  if (looking.get(tabId) === url) return;
  looking.set(tabId, url);
  const verification = await checker()
    .then((found) => found?.verify(url))
    .catch(() => undefined);
  if (looking.get(tabId) !== url) return;
  const verdict = verification?.verdict ?? 'unknown';
  if (verdict === 'unsafe' && !(await isAccepted(url))) {
    const warning = `${chrome.runtime.getURL('warning.html')}?${new URLSearchParams({ url })}`;
    await chrome.tabs.update(tabId, { url: warning });
    return;
  }
  looking.delete(tabId);
  const [text, title] = {
    safe: ['', 'URL check: not on the list'],
    invalid: ['?', 'URL check: no web page, and so not checked'],
    unknown: ['?', 'URL check: this page could not be checked'],
    unsafe: ['!', 'URL check: this page is on the list'],
  }[verdict];
  await chrome.action.setBadgeText({ tabId, text });
  await chrome.action.setTitle({ tabId, title });
}

const { onBeforeNavigate, onCommitted, onHistoryStateUpdated } = chrome.webNavigation;
// Before it loads; where redirects led it; what a page calls itself later.
for (const event of [onBeforeNavigate, onCommitted, onHistoryStateUpdated]) {
  // It rejects where the tab is closed by now.
  event.addListener((details) => look(details).catch(() => {}));
}

// The options page asks how the list is.
chrome.runtime.onMessage.addListener((_message, _sender, respond) => {
  checker().then(
    (found) => respond(found && { ...found.status, error: found.status.error?.message }),
    (error) => respond({ error: error.message }),
  );
  return true; // the answer comes later
});
