// Programs load each case of the tables in tests/vectors/feeds/programs, and answer as the tables say.
// `node lab/engines/feeds.test.mjs --record` writes the tables anew: it asks about the names that they have.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { mapAtOnce } from './dns-client.mjs';
import { askResolver, makeGetent } from './host-answers.mjs';
import { clientOf, openAddresses, startResolver } from './resolvers.mjs';

const feedOf = ({ lines, encoding = 'utf8' }) => Buffer.from(`${lines.join('\n')}\n`, encoding);

/** The names of a case by verdict, without verdicts that no name has. */
const byVerdict = (names, verdicts) =>
  Object.fromEntries(
    ['blocked', 'open', 'other'].flatMap((verdict) => {
      const those = names.filter((_, i) => verdicts[i] === verdict);
      return those.length > 0 ? [[verdict, those]] : [];
    }),
  );
const namesOf = ({ blocked = [], open = [], other = [] }) => [...blocked, ...open, ...other].sort();
const refused = { refused: true };

/** The feed with the ports of this test: that of the server behind the program for 5353, and dnsmasq's own for 53. */
const withPorts = (feed) => (port, upstream) => {
  const text = feed.toString('latin1').replaceAll('5353', upstream);
  const own = /^((?:server|local)=.*\/(?:127\.0\.0\.1|::1))(?:#53)?(?=\s|$)/gm;
  return Buffer.from(text.replace(own, `$1#${port}`), 'latin1');
};

/** What a program does that ends if it refuses its feed: one process for each case. */
const alone = (format, dropped) => (cases) =>
  mapAtOnce(cases, 4, async (one) => {
    let resolver;
    try {
      resolver = await startResolver(format, withPorts(feedOf(one)));
    } catch (error) {
      if (/^\w+ ended:/.test(error.message)) return refused;
      throw error;
    }
    try {
      const names = namesOf(one);
      return byVerdict(names, await askResolver(resolver, names, { dropped }));
    } finally {
      await resolver.stop();
    }
  });

const zoneHead = '$TTL 60\n@ SOA localhost. root.localhost. 1 2 3 4 5\n NS localhost.\n';
/** The end of each zone: a name that is blocked once the zone is in force. BIND answers before that. */
const zoneMark = 'mark.invalid';
const zoneEnd = `${zoneMark}.rpz.invalid. 60 CNAME .\n`;

/** The cases of one BIND. More need gigabytes. */
const mostZones = 64;

/** What BIND does. Cases are zones of one process, and each is for clients of one address. */
async function answersOfBind(cases) {
  const answers = [];
  for (let from = 0; from < cases.length; from += mostZones) {
    const some = cases.slice(from, from + mostZones);
    const feeds = some.map((one) => {
      const hasHead = one.lines.some((line) => /\sSOA\s/.test(line));
      const parts = [Buffer.from(hasHead ? '' : zoneHead), feedOf(one), Buffer.from(zoneEnd)];
      return Buffer.concat(parts);
    });
    const resolver = await startResolver('rpz', ...feeds);
    try {
      for (const [i, one] of some.entries()) {
        if (resolver.printed().includes(`/v${i}: not loaded due to errors`)) {
          answers.push(refused);
          continue;
        }
        const ask = (names) => askResolver(resolver, names, { address: clientOf(i), dropped: [] });
        while ((await ask([zoneMark]))[0] === 'open');
        const names = namesOf(one);
        answers.push(byVerdict(names, await ask(names)));
      }
    } finally {
      await resolver.stop();
    }
  }
  return answers;
}

/** What glibc does with a hosts file, and dnsmasq where it differs. */
async function answersOfHosts(cases) {
  const ask = makeGetent();
  const others = await alone('hosts', openAddresses)(cases);
  const found = [];
  for (const [i, one] of cases.entries()) {
    const names = namesOf(one);
    const answers = byVerdict(names, await ask(feedOf(one), names));
    const isSame = JSON.stringify(answers) === JSON.stringify(others[i]);
    found.push(isSame ? answers : { ...answers, dnsmasq: others[i] });
  }
  return found;
}

const versionOf = (program, option) =>
  /\d+(\.\d+)+/.exec(execFileSync(program, [option], { encoding: 'utf8' }))[0];
const programs = {
  dnsmasq: () => `dnsmasq ${versionOf('dnsmasq', '--version')}`,
  unbound: () => `unbound ${versionOf('unbound', '-V')}`,
  rpz: () => `BIND ${versionOf('named', '-v')}`,
  hosts: () => `glibc ${versionOf('getent', '--version')}, ${programs.dnsmasq()}`,
};

/** What the program of each format does with cases. dnsmasq drops no question: it sent one to another server. */
const answers = {
  dnsmasq: alone('dnsmasq', openAddresses),
  unbound: alone('unbound', []),
  rpz: answersOfBind,
  hosts: answersOfHosts,
};

/** A case as a line of ASCII. */
const rowOf = (one) =>
  JSON.stringify(one).replace(
    /[^\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

for (const [format, answersOf] of Object.entries(answers)) {
  test(format, async (t) => {
    const table = new URL(`../../tests/vectors/feeds/programs/${format}.json`, import.meta.url);
    const { program, cases } = JSON.parse(readFileSync(table, 'utf8'));
    const here = programs[format]();
    t.diagnostic(`here is ${here}; the table is of ${program}`);
    const found = await answersOf(cases);
    const rows = cases.map(({ lines, encoding }, i) => rowOf({ lines, encoding, ...found[i] }));
    if (process.argv.includes('--record')) {
      const head = `{ "program": ${JSON.stringify(here)}, "cases": [`;
      writeFileSync(table, `${head}\n${rows.join(',\n')}\n] }\n`);
    } else assert.deepEqual(rows, cases.map(rowOf));
    assert.ok(cases.length >= 150);
  });
}
