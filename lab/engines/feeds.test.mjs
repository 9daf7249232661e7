// Programs load each case in the tables of tests/vectors/feeds/programs, and must answer as the tables say. `node
// lab/engines/feeds.test.mjs --record` writes the tables again, with the names that they contain.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { mapAtOnce } from './dns-client.mjs';
import { askResolver, makeGetent } from './host-answers.mjs';
import { clientOf, openAddresses, startResolver } from './resolvers.mjs';

const feedOf = ({ lines, encoding = 'utf8' }) => Buffer.from(`${lines.join('\n')}\n`, encoding);

/** The names of a case, grouped by verdict, without verdicts that no name has. */
const byVerdict = (names, verdicts) =>
  Object.fromEntries(
    ['blocked', 'open', 'other'].flatMap((verdict) => {
      const those = names.filter((_, i) => verdicts[i] === verdict);
      return those.length > 0 ? [[verdict, those]] : [];
    }),
  );
const namesOf = ({ blocked = [], open = [], other = [] }) => [...blocked, ...open, ...other].sort();
const refused = { refused: true };

/** Replaces ports in the feed: 5353 by that of the server behind the program, and 53 by dnsmasq's own. */
const withPorts = (feed) => (port, upstream) => {
  const text = feed.toString('latin1').replaceAll('5353', upstream);
  const own = /^((?:server|local)=.*\/(?:127\.0\.0\.1|::1))(?:#53)?(?=\s|$)/gm;
  return Buffer.from(text.replace(own, `$1#${port}`), 'latin1');
};

/** For programs that exit if they refuse a feed: uses one process per case. */
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
/** The last name in each zone. When it is blocked, the zone is in force; BIND answers before that. */
const zoneMark = 'mark.invalid';
const zoneEnd = `${zoneMark}.rpz.invalid. 60 CNAME .\n`;

/** The number of cases for one BIND process. More would need gigabytes. */
const mostZones = 64;

/** Asks BIND. All cases are zones of one process, and each zone applies to clients with one address. */
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

/** Asks glibc about a hosts file, and dnsmasq where it differs. */
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

/** For each format, asks its program about cases. dnsmasq drops no question, but sends some to another server. */
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
