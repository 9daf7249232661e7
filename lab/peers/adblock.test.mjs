// Rules of ad blockers, by other readers: what engines do with them, which tests/vectors/feeds/programs/adblock.json
// records, and AdGuard's own parser. Run by `npm run test:peers`; UPDATE_FEEDS=1 writes the answers of the engines anew.
import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import { test } from 'node:test';
import { domainToUnicode } from 'node:url';
import { RuleParser } from '@adguard/agtree';
import fc from 'fast-check';
import { readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';
import { compareRules } from '../../tests/js/support/rule-list.mjs';
import { askAll, skip } from './rule-engines.mjs';
import { checkTable } from './tables.mjs';

/** URLs by the answer for them: `{ "siDSIh": "x.example/ w.x.example/", "": "nx.example/" }`. */
function groupByAnswer(urls, answers) {
  const groups = {};
  for (const [i, url] of urls.entries()) {
    groups[answers[i]] = answers[i] in groups ? `${groups[answers[i]]} ${url}` : url;
  }
  return groups;
}

test('engines do with rules what the table says', { skip }, async () => {
  await checkTable('adblock', async (cases) => {
    const questions = cases.map(({ lines, ask }) => ({
      lines,
      urls: Object.values(ask).flatMap((urls) => urls.split(' ')),
    }));
    const answers = await askAll(questions);
    return questions.map(({ lines, urls }, i) => ({ lines, ask: groupByAnswer(urls, answers[i]) }));
  });
});

const rulePieces = {
  mark: ['', '', '', '@@', '@@', '@@@@', '@@ '],
  start: ['||', '||', '||', '|', '|https://', '|http://', '', '.', '*.', '://', '||*.', '0.0.0.0 '],
  host: ['x.example', 'x.example', 'w.x.example', 'X.example', 'x.example.', '192.0.2.1'],
  end: ['^', '^', '^|', '^*', '|', '', '/^', '/*', '/p^', '/p|', '/p?q|', '/P^', ':80^', ' # a'],
  modifier: [
    ...['all', 'doc', 'document', 'important', 'popup', 'third-party', '~third-party', '3p', '_'],
    ...['script', '~script', 'domain=w.x.example', 'badfilter', 'badfilter', 'dnstype=A', ''],
    ...['denyallow=w.x.example', 'dnsrewrite=NXDOMAIN', 'urlblock', 'DOCUMENT', 'method=get'],
  ],
};
/** Hosts of the pieces and others, each with a page of the pieces and another. */
const askedUrls = ['x', 'w.x', 'v.w.x', 'nx', 'y']
  .map((name) => `${name}.example`)
  .concat('192.0.2.1')
  .flatMap((host) => ['/', '/p', '/p?q', '/p/r', '/pr'].map((path) => host + path));

test('lists of random rules have what engines block', { skip }, async () => {
  const { modifier, ...pieces } = rulePieces;
  const start = fc.tuple(...Object.values(pieces).map((values) => fc.constantFrom(...values)));
  const modifiers = fc.array(fc.constantFrom(...modifier), { maxLength: 2 });
  const line = fc
    .tuple(start, modifiers)
    .map(([texts, names]) => texts.join('') + (names.length > 0 ? `$${names}` : ''));
  const samples = fc.sample(fc.array(line, { minLength: 1, maxLength: 3 }), 3000);
  const answers = await askAll(samples.map((lines) => ({ lines, urls: askedUrls })));
  const wrong = [];
  let hits = 0;
  for (const [i, lines] of samples.entries()) {
    const found = await compareRules({ lines, ask: groupByAnswer(askedUrls, answers[i]) });
    wrong.push(...found.wrong);
    hits += found.hits;
  }
  assert.deepEqual(wrong, []);
  assert.ok(hits > 1000, `only ${hits} URLs had to be listed`);
});

/** Modifiers with which a rule is still for all that is loaded from a host. */
const plain = ['all', 'doc', 'document', 'important', 'popup'];

/** True for hosts of rules. Of the builder's hosts, those with empty labels and short forms of addresses are not. */
function isHost(name) {
  const labels = name.split('.');
  if (labels.includes('') || (/^(\d+|0x[\da-f]*)$/.test(labels.at(-1)) && !isIPv4(name)))
    return false;
  try {
    new UrlListBuilder().addHosts([name]);
    return true;
  } catch {
    return false;
  }
}

/** The meaning of a rule for a whole host, by that parser; undefined if it says nothing about one. */
function meaningOf(line) {
  let rule;
  try {
    rule = RuleParser.parse(line);
  } catch {
    return undefined;
  }
  if (rule.category !== 'Network') return undefined;
  const modifiers = rule.modifiers?.children ?? [];
  const names = modifiers.map(({ name }) => name.value);
  const isBad = names.includes('badfilter');
  const isPlain = modifiers.every(
    ({ name, exception, value }) =>
      !exception && !value && [...plain, 'badfilter'].includes(name.value),
  );
  const [, named] = /^\|\|([^/^|:?*\s]+)(?:\^\|?|\/\^?)$/.exec(rule.pattern.value) ?? [];
  const host = named?.toLowerCase().replace(/\.$/, '');
  if (!isPlain || host === undefined || !isHost(host)) return undefined;
  if (rule.exception && (isBad || names.includes('popup'))) return undefined;
  const kind = isBad ? 'cancel-host' : rule.exception ? 'allow-host' : 'host';
  return { kind, text: host, isImportant: names.includes('important') };
}

async function entriesOf(line) {
  const feed = readFeed(`${line}\n`, { format: 'adblock' });
  const entries = [];
  for await (const { kind, text, isImportant = false } of feed) {
    if (kind.endsWith('host')) entries.push({ kind, text, isImportant });
  }
  return entries;
}

const piece = fc.constantFrom(
  ...['||', '||', '||', '|', '@@', '^', '^', '^', '*', '/', '.', 'x', ' ', '?', ':', '~', '!', '['],
  ...['one.example', 'one.example', 'TWO.example', 'b\u00fccher.example', 'com', '192.0.2.1'],
  ...['$', '$', ',', '=', 'popup', 'important', 'document', 'all', 'doc', 'badfilter', 'script'],
  ...['third-party', 'domain=a.example', 'POPUP', '##', '#@#', '#?#', '$$', '#', '# ', 'https://'],
);
const anything = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const modifier = fc.constantFrom(...plain, 'badfilter', 'script', '~all', 'domain=x.example', '');
const likely = fc
  .tuple(
    fc.constantFrom('', '', '', '@@', '@@@@'),
    fc.constantFrom('||one.example^', '||a.Two.example^|', '||one.example/', '||one.example/a^'),
    fc.constantFrom('', '$', '$$', ' $'),
    fc.array(modifier, { maxLength: 3 }),
  )
  .map(([mark, pattern, sign, names]) => `${mark}${pattern}${sign && sign + names.join()}`);

/** Compares both readers on a line. Returns true if the line is a rule for a host. */
async function checkLine(line) {
  const meaning = meaningOf(line.trim());
  const expected = meaning === undefined ? [] : [meaning];
  const found = await entriesOf(line);
  const known = found.map((entry) => ({ ...entry, text: domainToUnicode(entry.text) }));
  assert.deepEqual(known, expected, JSON.stringify(line));
  return meaning !== undefined;
}

test('a rule that AdGuard reads for a whole host is an entry, and no other is', async () => {
  let met = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(anything, likely), async (line) => {
      if (await checkLine(line)) met++;
    }),
    { numRuns: 20_000 },
  );
  assert.ok(met > 1000, `only ${met} rules were for a host`);
});

test('so it is for every host of up to three pieces', async () => {
  const pieces = ['.', 'x', '1', 'one.example', 'b\u00fccher.example', '192.0.2.1', '*', '/', '^'];
  let hosts = [''];
  let met = 0;
  for (let length = 1; length <= 3; length++) {
    hosts = hosts.flatMap((host) => pieces.map((next) => host + next));
    for (const host of hosts) {
      for (const end of ['', '^', '^|', '/', '/^']) {
        if (await checkLine(`||${host}${end}`)) met++;
      }
    }
  }
  assert.ok(met > 500, `only ${met} rules were for a host`);
});
