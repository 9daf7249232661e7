// Checks rules of ad blockers with the blockers' own engines. tests/vectors/feeds/programs/adblock.json records their
// answers. Run by `npm run test:peers`; UPDATE_FEEDS=1 writes the answers again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareRules } from '../../tests/js/support/rule-list.mjs';
import { askAll, skip } from './rule-engines.mjs';
import { checkTable } from './tables.mjs';

/** Groups URLs by their answer: `{ "siDSIh": "x.example/ w.x.example/", "": "nx.example/" }`. */
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
/** URLs of hosts that the rules may name and of others, with a path that rules may name and another one. */
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
  // The same rules in each run: if engines differ in a new way, a person must decide what a list contains.
  const all = fc.array(line, { minLength: 1, maxLength: 3 });
  const samples = fc.sample(all, { numRuns: 3000, seed: 1 });
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
