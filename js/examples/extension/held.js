// Addresses that were found on a list, and the rules by which the browser itself blocks them from then on. Session
// rules end with the session. So the addresses are stored, and the rules are made again from them.
//
// A rule blocks only addresses that are certainly listed:
// - a listed host, with all hosts below it, as in the list;
// - the one address that was looked up, for a listed page or folder, and for hosts that rules cannot name. The worker
//   finds other spellings, as at a first visit.

const DAY_MS = 24 * 3600 * 1000;
/** The newest of each kind stay. Browsers take 1,000 rules with addresses in a session. */
const MOST = { host: 5000, page: 500 };
/** The longest address, in characters. */
const LONGEST = 2000;

/** True if rules can name the host. */
const isPlain = (host) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host);
const isAddress = (host) => /^[0-9.]+$/.test(host);
/** True if the list covers all hosts below this one. By the rule 'labels5' it does not, if the host has six labels. */
const coversBelow = (host, name, guard) => guard.check(`http://x.${host}/`).lists.includes(name);

const isAtOrBelow = (host, parent) => host === parent || host.endsWith(`.${parent}`);
const hostOf = (url) => new URL(url).hostname;

const escapeRegex = (text) => text.replace(/\W/g, '\\$&');
const addressRegex = (url) => `^${escapeRegex(url)}(#.*)?$`;
const withoutFragment = (url) => url.replace(/#.*$/s, '');

/** The record that blocks `url`, by the verdict of a list; undefined if no rule can. */
async function recordOf(url, { name, expression, from }, canOverride, guard) {
  const common = { name, expression, from, canOverride, foundMs: Date.now() };
  const host = expression.slice(0, -1);
  const canStand = expression.endsWith('/') && isPlain(host);
  if (canStand && (isAddress(host) || coversBelow(host, name, guard))) {
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

/** True if the list still has the address, as far as the client knows without its server. */
function isListed({ name, url, from, foundMs }, guard) {
  if (guard === undefined) return false;
  // The answer of a server is forgotten after a day.
  if (from !== 'list' && Date.now() - foundMs > DAY_MS) return false;
  const { lists, missing } = guard.check(url);
  return lists.includes(name) || missing.includes(name);
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
  // A host that the user opened has no rule: the worker checks it.
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

/** The records, read once each time that the worker wakes. */
let known;
const readHeld = async () => {
  known ??= (await chrome.storage.local.get({ held: [] })).held;
  return known;
};

let turn = Promise.resolve();
/** Changes all records by `edit`, stores them, and makes the rules. Changes run one after the other. */
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

/** Makes the rules again, without addresses that are no longer listed, too old, or opened by the user. */
export const refreshHeld = (guard) => change(guard, (records) => records);

/** Lets the browser block the listed part of this address. */
export async function hold(guard, url, verdict, canOverride) {
  const record = await recordOf(url, verdict, canOverride, guard);
  if (record === undefined) return;
  await change(guard, (records) => [...records.filter((one) => !isSame(one, record)), record]);
}

/** Lets the address through: no list has it. */
export async function release(guard, url) {
  if ((await findHeld(url)) === undefined) return;
  await change(guard, (records) => records.filter((one) => !holds(one, url)));
}

/** The record that blocks the address. */
export const findHeld = async (url) => (await readHeld()).find((record) => holds(record, url));

export const countHeld = async () => (await readHeld()).length;
