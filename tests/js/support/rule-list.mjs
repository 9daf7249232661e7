/** Compares lists made from rules of ad blockers with what programs do with the rules. */
import { readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';

const format = 'adblock';

const urlOf = (short) => new URL(short.includes('://') ? short : `https://${short}`);
const isWithin = (host, other) => host === other || host.endsWith(`.${other}`);

/** True if a list with this entry also contains a URL that the entry does not name. */
function widens({ kind, text, isExact }, url) {
  if (kind !== 'page' && kind !== 'path') {
    return isExact === true && url.hostname.endsWith(`.${text}`);
  }
  // The builder skips a page that no browser can open.
  const page = URL.canParse(urlOf(text)) ? urlOf(text) : url;
  if (url.href === page.href || !isWithin(url.hostname, page.hostname)) return false;
  // A page matches each scheme, each host below its own, and each spelling. Without a query it matches any query, and
  // with a slash at the end it is a folder.
  const [one, other] = [page, url].map(({ pathname, search }) => decodeURI(pathname) + search);
  if (kind === 'path' && other.startsWith(`${one}/`)) return true;
  return other === one || other.startsWith(one.endsWith('/') ? one : `${one}?`);
}

/** A line of a hosts file with an unusual spelling of its name. AdGuard Home compares names letter by letter. */
const isSpelled = (line) => /^[\d.:]+\s.*([A-Z\u0080-\uffff]|\.$)/.test(line);
/** A rule without limiting modifiers applies to all parts of pages, so the list has it too. */
const isWhole = (line) => !/\$(?!(important|_)+$)/.test(line);
/** DNS programs do not support the modifier `_`, so only browsers apply such a `$badfilter`. */
const isOfBrowsers = (line) => /_.*badfilter|badfilter.*_/.test(line);

/** Makes a list from rules. `has` looks up a URL; `isWidened` is true if every list must contain the URL. */
async function read(lines) {
  const text = `${lines.join('\n')}\n`;
  const entries = [];
  for await (const entry of readFeed(text, { format })) entries.push(entry);
  const skips = [];
  const feed = readFeed(text, { format, onSkip: (skip) => skips.push(skip) });
  const builder = new UrlListBuilder({ prefixBytes: 32 });
  await builder.addFeed(feed).catch((error) => {
    if (error.code !== 'ERR_TAMIS_REFUSED') throw error;
  });
  const list = builder.build();
  const { unmet } = builder;
  return {
    has: (url) => list.check(String(url)) === 'maybe',
    isWidened: (url) =>
      url.port !== '' ||
      unmet.some((host) => isWithin(url.hostname, host)) ||
      entries.some((entry) => widens(entry, url)),
    hasSkips: skips.length > 0,
    hasSkippedException: skips.some(({ line }) => lines[line - 1].trim().startsWith('@@')),
  };
}

/** The URL with its path in another letter case, which programs ignore. */
function inOtherCase({ origin, pathname, search }) {
  const path = `${pathname}${search}`;
  return `${origin}${path === path.toLowerCase() ? path.toUpperCase() : path.toLowerCase()}`;
}

/**
 * Compares the list made from some lines with the answers of programs. These are URLs separated by blanks, for each
 * answer in the letters of tests/vectors/feeds/programs/adblock.json. The list must not contain a URL that no program
 * blocks. It must contain what AdGuard blocks, unless a line was skipped or another program makes an exception. Returns
 * how many URLs the list must contain, and what is wrong.
 */
export async function compareRules({ lines, ask }) {
  const { has, isWidened, hasSkips, hasSkippedException } = await read(lines);
  const isForParts = lines.some(isWhole);
  const isLoose = hasSkippedException || lines.some(isSpelled);
  const wrong = [];
  let hits = 0;
  for (const [answer, urls] of Object.entries(ask)) {
    const isExcepted = /[aAw]/.test(answer);
    const mayHave = /[dDh]/.test(answer) || (isForParts && /[si]/i.test(answer)) || isLoose;
    const isTakenBack = !/[dD]/.test(answer) && lines.some(isOfBrowsers);
    const mayLack = !/[dh]/.test(answer) || isExcepted || isTakenBack;
    const all = urls.split(' ').map(urlOf);
    const extra = all.filter((url) => has(url) && !mayHave && !isWidened(url));
    const lacking = mayLack ? [] : all.filter((url) => !has(url) && !has(inOtherCase(url)));
    if (!mayLack) hits += all.length - lacking.length;
    const missed = hasSkips ? [] : lacking;
    for (const [word, found] of Object.entries({ extra, missed })) {
      if (found.length > 0)
        wrong.push(`${lines.join(' ; ')}: ${word} '${answer}' ${found.join(' ')}`);
    }
  }
  return { hits, wrong };
}
