// The warning in the place of a listed page. Rules of the browser lead here, so any page can lead here too, with any
// text as the address. The page shows it as text. It opens only http and https, and only if the user wants it.
import { ask, timeText } from './ask.js';

const find = (id) => document.getElementById(id);
const LONGEST_SHOWN = 2000;
/** The wait of the button after the page appears: a page could open this one under a double click. */
const WAIT_MS = 1000;

/** The address as it stands behind `?url=`, with its fragment. */
const text = location.search.startsWith('?url=') ? location.search.slice(5) + location.hash : '';

function parse() {
  try {
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}
const url = parse();

const headings = {
  unknown: 'This page could not be checked',
  safe: 'No list has this page now',
  invalid: 'This address leads to no web page',
};

/** The list speaks for itself, since it may have phishing, ads or games. */
function headingFor({ verdict, name, label }) {
  if (verdict !== 'unsafe') return headings[verdict];
  return name === undefined ? 'You block this page' : `This page is on the list "${label}"`;
}

/** From this severity on, or with threats, the warning speaks of harm. */
const SEVERE = 7;
const isSevere = ({ severity = 0, threats }) => severity >= SEVERE || threats !== undefined;

function shorten(shown) {
  if (shown.length <= LONGEST_SHOWN) return shown;
  return `${shown.slice(0, LONGEST_SHOWN)}... (${shown.length.toLocaleString()} characters)`;
}

function addReason(name, value) {
  const [term, description] = ['dt', 'dd'].map((tag) => document.createElement(tag));
  term.textContent = name;
  description.textContent = value;
  find('reasons').append(term, description);
}

/** The listed part, in words. A host stands for all its pages. */
function listedText(expression) {
  return expression.indexOf('/') === expression.length - 1
    ? `${expression.slice(0, -1)}, the whole host`
    : expression;
}

function showReasons({ name, label, also, expression, threats, severity, madeMs, foundMs }) {
  if (name === undefined) return;
  addReason('List', label === name ? name : `${label} (${name})`);
  if (also.length > 0) addReason('Also on', also.join(', '));
  addReason('What is listed', shorten(listedText(expression)));
  if (threats !== undefined) addReason('Threats', threats.join(', '));
  if (severity !== undefined) addReason('Severity', `${severity} of 10`);
  if (madeMs !== undefined) addReason('Time of the list', timeText(madeMs));
  if (foundMs !== undefined)
    addReason('Found', `${timeText(foundMs)}; it cannot be asked again now`);
}

/** The publisher's page for mistakes. The address is sent when the user follows it. */
function showReport(report) {
  if (report === undefined) return;
  find('report').href = report.replace('{url}', encodeURIComponent(url.href));
  find('report').hidden = new URL(find('report').href).protocol !== 'https:';
}

function showPassing(reason) {
  const { verdict, action, canGoOn } = reason;
  if (verdict === 'invalid' || (verdict === 'unsafe' && !canGoOn)) return;
  find('passing').hidden = false;
  find('passing').open = action === 'warn' || verdict === 'safe';
  if (verdict === 'safe') find('more').textContent = 'Open it';
  find('time').hidden = verdict !== 'unsafe';
  const harm = isSevere(reason) ? 'It may steal what you type, or harm this device. ' : '';
  find('consequence').textContent =
    verdict === 'unsafe'
      ? `${harm}For that time no list stops this host.`
      : 'Nothing is remembered: at the next visit it is checked again.';
}

async function waitUntilSeen() {
  while (document.visibilityState !== 'visible') {
    await new Promise((seen) =>
      document.addEventListener('visibilitychange', seen, { once: true }),
    );
  }
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
}

async function leave() {
  const { id } = await chrome.tabs.getCurrent();
  // The new tab opens first, so that the window stays.
  await chrome.tabs.create({});
  await chrome.tabs.remove(id);
}

async function go() {
  find('go').disabled = true;
  try {
    await ask('goOn', { url: url.href, forMs: Number(find('for').value) });
    location.replace(url.href);
  } catch ({ message }) {
    find('trouble').textContent = `It stays closed: ${message}`;
    find('go').disabled = false;
  }
}

async function show() {
  const reason = url
    ? await ask('explain', { url: url.href }).catch(() => ({ verdict: 'unknown' }))
    : { verdict: 'invalid' };
  document.body.dataset.verdict = reason.verdict;
  document.body.dataset.tone = isSevere(reason) ? 'severe' : 'calm';
  document.title = `Held: ${headingFor(reason)}`;
  find('host').textContent = shorten(url?.host ?? '');
  find('address').textContent = shorten(url?.href ?? text);
  if (reason.verdict === 'unsafe') {
    showReasons(reason);
    showReport(reason.report);
  }
  if (url) showPassing(reason);
  find('leave').addEventListener('click', leave);
  find('go').addEventListener('click', go);
  document.querySelector('main').hidden = false;
  find('heading').textContent = headingFor(reason);
  find('leave').focus();
  await waitUntilSeen();
  find('go').disabled = false;
}

// In a frame of another page, nothing is shown and nothing can be pressed.
if (top === self) show();
