// What was found on a list, and the rules by which the browser itself holds it from then on. The rules of a session end
// with it, so what was found is stored, and rules are made of it again.
//
// A rule holds what is surely listed, and nothing else:
// - a listed host, with all that is below it, as the list means it;
// - of a listed page or folder, and of hosts that rules cannot name, the one address that was looked up. In another
//   spelling the worker finds it, as at a first visit.

const DAY_MS = 24 * 3600 * 1000;
/** The newest of each kind stay. Browsers take 1,000 rules with addresses in a session. */
const MOST = { host: 5000, page: 500 };
/** Of an address, in characters. */
const LONGEST = 2000;

/** By the rule 'labels5' a listed host of more labels stands for itself alone. */
const MOST_LABELS = 5;
/** Whether rules can name it. */
const isPlain = (host) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host);
const standsForBelow = (host) => isPlain(host) && host.split('.').length <= MOST_LABELS;

const isAtOrBelow = (host, parent) => host === parent || host.endsWith(`.${parent}`);
const hostOf = (url) => new URL(url).hostname;

const escapeRegex = (text) => text.replace(/\W/g, '\\$&');
const addressRegex = (url) => `^${escapeRegex(url)}(#.*)?$`;
const withoutFragment = (url) => url.replace(/#.*$/s, '');

/** What holds `url`, by the verdict of a list; undefined where no rule can. */
async function recordOf(url, { list, expression, from }, canOverride) {
  const common = { list, expression, from, canOverride, foundMs: Date.now() };
  const host = expression.slice(0, -1);
  if (expression.endsWith('/') && standsForBelow(host)) {
    return { ...common, kind: 'host', host, url: `http://${host}/` };
  }
  const address = withoutFragment(url);
  if (address.length > LONGEST) return undefined;
  const regex = addressRegex(address);
  const { isSupported } = await chrome.declarativeNetRequest.isRegexSupported({
    regex,
    isCaseSensitive: true,
    requireCapturing: true,
  });
  return isSupported ? { ...common, kind: 'page', url: address } : undefined;
}

const isSame = (one, other) => one.kind === other.kind && one.url === other.url;
const holds = (record, url) =>
  record.kind === 'host'
    ? isAtOrBelow(hostOf(url), record.host)
    : record.url === withoutFragment(url);

/** Whether the list still has it, as far as can be said without a question to its server. */
function isListed({ list, url, from, foundMs }, guard) {
  if (guard === undefined) return false;
  // What a server said is forgotten after a day.
  if (from !== 'list' && Date.now() - foundMs > DAY_MS) return false;
  const { lists, missing } = guard.check(url);
  return lists.includes(list) || missing.includes(list);
}

/** The rules for these records. The warning gets the address as it is, behind `?url=`. */
function rulesFor(records, guard) {
  if (records.length === 0) return [];
  const page = `${chrome.runtime.getURL('warning.html')}?url=`;
  const action = { type: 'redirect', redirect: { regexSubstitution: `${page}\\0` } };
  const make = (condition) => ({
    action,
    condition: { ...condition, resourceTypes: ['main_frame'] },
  });
  // What the user opened is not held, with all of its host: the worker looks at it.
  const opened = guard.overrides
    .list()
    .filter(({ verdict }) => verdict === 'allow')
    .map(({ target }) => target.slice(0, target.indexOf('/')));
  const hostRule = (canOverride) => {
    const free = canOverride ? opened : [];
    const unnamed = free.filter((host) => !isPlain(host));
    const requestDomains = records
      .filter((one) => one.kind === 'host' && one.canOverride === canOverride)
      .map(({ host }) => host)
      .filter((host) => !unnamed.some((one) => isAtOrBelow(one, host)));
    if (requestDomains.length === 0) return [];
    const excludedRequestDomains = free.filter(isPlain);
    const excluded = excludedRequestDomains.length > 0 && { excludedRequestDomains };
    return make({ regexFilter: '^https?://.+', requestDomains, ...excluded });
  };
  const pageRules = records
    .filter(({ kind, url }) => kind === 'page' && guard.check(url).answer !== 'safe')
    .map(({ url }) => make({ regexFilter: addressRegex(url), isUrlFilterCaseSensitive: true }));
  return [hostRule(true), hostRule(false), pageRules]
    .flat()
    .map((rule, i) => ({ ...rule, id: i + 1 }));
}

async function setRules(addRules) {
  const { declarativeNetRequest } = chrome;
  const before = await declarativeNetRequest.getSessionRules();
  if (before.length === 0 && addRules.length === 0) return;
  const removeRuleIds = before.map(({ id }) => id);
  await declarativeNetRequest.updateSessionRules({ removeRuleIds, addRules });
}

/** What is held: read once in each waking. */
let known;
const readHeld = async () => {
  known ??= (await chrome.storage.local.get({ held: [] })).held;
  return known;
};

let turn = Promise.resolve();
/** Stores what `edit` makes of all records, and makes rules of it: one change after the other. */
function change(guard, edit) {
  const mine = turn.then(async () => {
    const before = await readHeld();
    const kept = edit(before).filter((one) => isListed(one, guard));
    const newest = (kind) => kept.filter((one) => one.kind === kind).slice(-MOST[kind]);
    known = [...newest('host'), ...newest('page')];
    await setRules(rulesFor(known, guard));
    if (JSON.stringify(known) !== JSON.stringify(before)) {
      await chrome.storage.local.set({ held: known });
    }
  });
  turn = mine.catch(() => {});
  return mine;
}

/** Makes the rules anew: without what the lists have no more, what is too old, and what the user opened. */
export const refreshHeld = (guard) => change(guard, (records) => records);

/** Has the browser hold what a list has of this address. */
export async function hold(guard, url, verdict, canOverride) {
  const record = await recordOf(url, verdict, canOverride);
  if (record === undefined) return;
  await change(guard, (records) => [...records.filter((one) => !isSame(one, record)), record]);
}

/** Lets the address through: no list has it. */
export async function release(guard, url) {
  if ((await findHeld(url)) === undefined) return;
  await change(guard, (records) => records.filter((one) => !holds(one, url)));
}

/** By what record the address is held. */
export const findHeld = async (url) => (await readHeld()).find((record) => holds(record, url));

export const countHeld = async () => (await readHeld()).length;
