// The URL part: looks up URLs in a list of hosts, or in several lists at once, compared with a Set and another package.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UrlList as PublishedList } from 'tamis/url';
import { inMemory, publish } from '../lists.mjs';
import { CONTENDERS } from './contenders.mjs';
import { fresh, openLines, readLists } from './keys.mjs';

const REPEATED_HOSTS = 500;
const guardList = (i) => `list-${i}`;

/** True if the host or a domain above it is listed. As in Safe Browsing, domains of at most five labels count. */
function hasSuffix(listed, host) {
  if (listed.has(host)) return true;
  let dot = host.lastIndexOf('.');
  for (let labels = 2; labels <= 5; labels++) {
    dot = host.lastIndexOf('.', dot - 1);
    if (dot < 0) return false;
    if (listed.has(host.slice(dot + 1))) return true;
  }
  return false;
}

const isMaybe = (answer) => answer === 'maybe';

/** Opens a checker, or a guard with several lists, from the folder of `writeLists`. Publishes the lists in memory. */
async function openLists(hosts, tamis, directory, { type, lists: count }) {
  const { UrlChecker, UrlGuard } = tamis;
  const manifestAt = (name) => `https://${name}.example/manifest.json`;
  const folders = {};
  const lists = {};
  for (let i = 0; i < count; i++) {
    const name = guardList(i);
    const list = PublishedList.fromBytes(readFileSync(join(directory, name)));
    const { storage, publicKey } = await publish(list, name);
    folders[name] = storage;
    lists[name] = { name, publicKeys: [publicKey], confirm: null };
  }
  const shared = {
    ...inMemory,
    fetch: async (url) => {
      const { hostname, pathname } = new URL(url);
      return new Response(await folders[hostname.split('.')[0]].get(pathname.slice(1)));
    },
  };
  let hits;
  if (type === 'UrlChecker') {
    const name = guardList(0);
    const checker = await UrlChecker.open(manifestAt(name), { ...shared, ...lists[name] });
    hits = (url) => isMaybe(checker.check(url));
  } else {
    const named = Object.entries(lists).map(([name, list]) => {
      return [name, { ...list, manifest: manifestAt(name), action: 'block' }];
    });
    const guard = await UrlGuard.open({ ...shared, lists: Object.fromEntries(named) });
    hits = (url) => isMaybe(guard.check(url).answer);
  }
  return {
    ways: { check: (urls) => urls.filter(hits).length },
    counts: () => ({
      lists: count,
      falseNegatives: hosts.filter((host) => !hits(`http://${host}/`)).length,
    }),
  };
}

/** The look-ups of each contender, and its other counts. Each function takes texts, and returns the number of hits. */
const LOADERS = {
  tamis(hosts, { expressions, UrlList }, directory) {
    const bytes = readFileSync(join(directory, 'list'));
    const list = UrlList.fromBytes(bytes);
    // The list contains only hosts, so only hosts are looked up.
    const isHost = (expression) => expression.indexOf('/') === expression.length - 1;
    const check = (urls) => urls.filter((url) => isMaybe(list.check(url))).length;
    return {
      ways: {
        check,
        checkMany: (urls) => list.checkMany(urls).filter(isMaybe).length,
        repeated: check,
        checkHost: (asked) => asked.filter((host) => isMaybe(list.checkHost(host))).length,
      },
      counts: (urls) => ({
        entries: list.count,
        wireBytes: bytes.length,
        memoryBytes: list.sizeBytes,
        expressions: urls.reduce((sum, url) => sum + expressions(url).filter(isHost).length, 0),
        falseNegatives: hosts.filter((host) => !isMaybe(list.check(`http://${host}/`))).length,
      }),
    };
  },
  checker: openLists,
  guard: openLists,
  guards: openLists,
  set(hosts) {
    const listed = new Set(hosts);
    return {
      ways: {
        check: (urls) => urls.filter((url) => hasSuffix(listed, new URL(url).hostname)).length,
        checkHost: (asked) => asked.filter((host) => hasSuffix(listed, host)).length,
      },
    };
  },
  detector(hosts, { default: Detector }) {
    const detector = new Detector({ blacklist: hosts });
    const check = (url) => detector.check(new URL(url).hostname).result;
    return { ways: { check: (urls) => urls.filter(check).length } };
  },
};

/** For ways that do not look up the URLs, the file with the texts. */
const ASKED_BY = { checkHost: 'asked-hosts.txt', repeated: 'repeated.txt' };

/** Measures each way with `note`, and returns the counts. */
export async function measureUrls(name, module, directory, note) {
  const own = CONTENDERS.url[name];
  const linesOf = (file = 'urls.txt') =>
    fresh(openLines(join(directory, file))).slice(0, own.share);
  const { length } = linesOf();
  const hosts = fresh(openLines(join(directory, 'hosts.txt')));
  const { ways, counts } = await LOADERS[name](hosts, module, directory, own);
  let hits;
  for (const [measure, ask] of Object.entries(ways)) {
    await note(measure, length, ask, {
      input: () => linesOf(ASKED_BY[measure]),
      after(found) {
        hits ??= found;
        // The lists contain only hosts, so a host hits if its URL does.
        if (measure !== 'repeated' && found !== hits) {
          throw new Error(`${name}: ${measure}: ${found} hits, expected ${hits}`);
        }
      },
    });
  }
  return { urls: length, hits, ...counts?.(linesOf()) };
}

/** The URLs, with one of a few of their hosts instead of their own. */
function repeatHosts(urls, hosts) {
  const few = [...new Set(hosts)].slice(0, REPEATED_HOSTS);
  return urls.map((text, i) => {
    const url = new URL(text);
    url.hostname = few[i % few.length];
    return url.href;
  });
}

/** Writes the lists, and the folder that the rounds read. */
export async function writeLists(directory, folder, share) {
  const { UrlListBuilder } = await import('tamis/url');
  const lists = readLists(folder, share);
  const write = (file, lines) => writeFileSync(join(directory, file), `${lines.join('\n')}\n`);
  lists.made = new UrlListBuilder().addHosts(lists.hosts).build();
  const asked = lists.urls.map((url) => new URL(url).hostname);
  write('hosts.txt', lists.hosts);
  write('urls.txt', lists.urls);
  write('asked-hosts.txt', asked);
  write('repeated.txt', repeatHosts(lists.urls, asked));
  writeFileSync(join(directory, 'list'), lists.made.toBytes());
  const { lists: count } = CONTENDERS.url.guards;
  for (let i = 0; i < count; i++) {
    // The first list has all hosts, and each of the others lacks some.
    const hosts = lists.hosts.filter((_, at) => i === 0 || at % count !== i);
    const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts(hosts).build();
    writeFileSync(join(directory, guardList(i)), list.toBytes());
    list.dispose();
  }
  return lists;
}
