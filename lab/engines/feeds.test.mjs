// Lines of feeds block the same names as in the program of their format. unbound, BIND and dnsmasq load feeds, and get
// 2,000 names each.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';
import { mapAtOnce } from './dns-client.mjs';
import { startResolver } from './resolvers.mjs';

/** The number of hosts in a feed. Each has a form of line, and each gives 5 names to ask. */
const bases = 400;

/** Lines of each format for host X, in the forms of its program. `T.X` is an exception, in formats that have it. */
const forms = {
  unbound: [
    'local-zone: "X" always_null',
    'local-zone: "X." always_nxdomain',
    'local-zone: X static',
    "local-zone: 'X' refuse",
    'local-zone: "X" always_refuse # a comment',
    'local-zone: "X" always_nodata',
    'local-zone: "X" redirect\nlocal-data: "X A 0.0.0.0"',
    'local-zone:  "X"   redirect\n  local-data: "X. 3600 IN A 127.0.0.1"',
    'local-zone: "X" always_nxdomain\nlocal-zone: "T.X" transparent',
    'local-zone: "X" always_null\nlocal-zone: "T.X" always_transparent',
    'local-data: "X A 0.0.0.0"',
    'local-data: "X. 60 IN A 127.0.0.1"',
    'local-zone: "X" static\nlocal-data: "X. A 0.0.0.0"',
    'local-zone: "X" transparent\nlocal-data: "X. A 0.0.0.0"',
    'local-zone: "X" inform',
    '# local-zone: "X" static',
    'local-zone: "X" redirect\nlocal-data: "X CNAME open.example."',
    'local-zone: "X" redirect\nlocal-data: "X TXT why"',
    'local-zone: "X" redirect',
    'server:\n  local-zone:"X" static local-zone: "s.X" static',
    'local-zone: "X.EXAMPLE" always_null',
  ],
  dnsmasq: [
    'address=/X/#',
    'address=/X/0.0.0.0',
    'address=/X/',
    'address=/.X/127.0.0.1',
    'server=/X/',
    'local=/X/',
    'local=/X/a.X/ # a comment',
    'address=/X/0.0.0.0\naddress=/X/::',
    'address=/X/#\nserver=/T.X/#',
    'local=/X/\nserver=/T.X/#',
    'server=/X/#',
    '#address=/X/#',
    'address=/X.EXAMPLE/#',
  ],
  rpz: [
    'X CNAME .\n*.X CNAME .',
    'X 60 IN CNAME *.\n*.X 60 IN CNAME *.',
    'X IN A 0.0.0.0\n*.X IN A 127.0.0.1',
    'X CNAME . ; a comment\n*.X CNAME .\nT.X CNAME rpz-passthru.\n*.T.X CNAME rpz-passthru.',
    'X CNAME .',
    'X 1h CNAME .\n',
    'X ( \n CNAME . )\n*.X CNAME .',
    'X CNAME rpz-passthru.',
    ';X CNAME .',
    'X\tCNAME\t.\n*.X\tCNAME\t.',
    '$ORIGIN y.rpz.invalid.\nX CNAME .\n*.X CNAME .\n$ORIGIN rpz.invalid.',
    'X.EXAMPLE CNAME .\n*.X.EXAMPLE CNAME .',
  ],
};

const heads = {
  unbound: 'server:\n',
  dnsmasq: '',
  rpz: '$TTL 60\n$ORIGIN rpz.invalid.\n@ SOA localhost. root.localhost. (\n 1 2 ; two lines\n 3 4 5 )\n NS localhost.\n',
};

/** A feed of every form of a format, and the names to ask about. */
function makeFeed(format) {
  const hosts = Array.from({ length: bases }, (_, i) => `h${i}.d${i % 7}.example`);
  const lines = hosts.map((host, i) => {
    const form = forms[format][i % forms[format].length];
    return form.replaceAll(/\bX\b/g, host).replaceAll(/\bT\b/g, 't');
  });
  const names = hosts.flatMap((host) => [
    host,
    `a.${host}`,
    `t.${host}`,
    `u.t.${host}`,
    `n${host}`,
  ]);
  return { text: `${heads[format]}${lines.join('\n')}\n`, names };
}

/** True if a name is one of the hosts, or below one. */
const isBelow = (name, hosts) => {
  const labels = name.split('.');
  return labels.some((_, i) => hosts.has(labels.slice(i).join('.')));
};

describe('a feed blocks what its program blocks', () => {
  for (const format of Object.keys(forms)) {
    test(format, async (t) => {
      const { text, names } = makeFeed(format);
      const widened = new UrlListBuilder({ prefixBytes: 32 });
      await widened.addFeed(readFeed(text, { format }));
      const narrow = new UrlListBuilder({ prefixBytes: 32 });
      await narrow.addFeed(readFeed(text, { format }), { exact: 'skip' });
      const exact = new Set();
      const whole = new Set();
      const excepted = new Set();
      for await (const { kind, text: host, isExact } of readFeed(text, { format })) {
        (kind === 'allow-host' ? excepted : isExact ? exact : whole).add(host);
      }
      const list = widened.build();
      const narrowList = narrow.build();
      const resolver = await startResolver(format, text);
      try {
        const answers = await mapAtOnce(names, 20, resolver.isBlocked);
        const counts = { blocked: 0, open: 0, widened: 0, excepted: 0 };
        for (const [i, name] of names.entries()) {
          const isBlocked = answers[i];
          counts[isBlocked ? 'blocked' : 'open']++;
          const isListed = list.checkHost(name) === 'maybe';
          if (isBelow(name, excepted)) {
            // A list of hash prefixes cannot have exceptions below an entry. The builder reports them.
            counts.excepted++;
            assert.equal(isBlocked, false, `${name} is excepted`);
            assert.ok(isBelow(name, new Set(widened.allowed)), `${name} is in allowed`);
            continue;
          }
          const isNarrow = narrowList.checkHost(name) === 'maybe';
          assert.ok(isBlocked || !isNarrow, `${name} is listed without its exact hosts`);
          if (!exact.has(name) && isBelow(name, exact) && !isBelow(name, whole)) {
            counts.widened++;
            assert.deepEqual(
              [isBlocked, isListed],
              [false, true],
              `${name} is below an exact host`,
            );
          } else {
            assert.equal(isListed, isBlocked, `${name} is ${isBlocked ? '' : 'not '}blocked`);
          }
        }
        t.diagnostic(`${format}: ${JSON.stringify(counts)} of ${names.length} names`);
        assert.ok(counts.blocked > names.length / 4 && counts.open > names.length / 4);
      } finally {
        await resolver.stop();
      }
    });
  }
});
