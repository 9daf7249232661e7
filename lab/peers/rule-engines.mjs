// What programs do with rules of ad blockers: AdGuard's extension, uBlock Origin, and the DNS server AdGuard Home.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { StaticNetFilteringEngine } from '@gorhill/ubo-core';
import { FilteringContext } from '@gorhill/ubo-core/js/filtering-context.js';
import uboFilters from '@gorhill/ubo-core/js/static-net-filtering.js';
import { startOf } from './peer.mjs';

// Its ES modules need a bundler.
const adGuard = createRequire(import.meta.url)('@adguard/tsurlfilter');
adGuard.setConfiguration({
  engine: 'extension',
  version: null,
  verbose: false,
  compatibility: adGuard.CompatibilityTypes.Extension,
});
const ignore = () => undefined;
adGuard.setLogger({ error: ignore, warn: ignore, info: ignore, debug: ignore });
const ubo = await StaticNetFilteringEngine.create();

/** The page that loads scripts and images of other sites. */
const page = 'https://page.test/';

/** Letters for what is blocked: a navigation, a script and an image. */
function lettersOf(letters, navigates, loads) {
  const blocked = [navigates, () => loads('script'), () => loads('image')];
  return [...letters].filter((_, i) => blocked[i]()).join('');
}

/**
 * AdGuard's extension stops a navigation for a rule that names documents, and for a redirect. A rule of `$popup` closes
 * new windows alone.
 */
function stopsAdGuard(result, isNavigation) {
  const rule = result.getBasicResult();
  if (rule === null || rule.isAllowlist() || rule === result.getPopupRule()) return false;
  if (!isNavigation || rule.isOptionEnabled(adGuard.NetworkRuleOption.Redirect)) return true;
  return (rule.getPermittedRequestTypes() & adGuard.RequestType.Document) !== 0;
}

const adGuardTypes = {
  script: adGuard.RequestType.Script,
  image: adGuard.RequestType.Image,
};

/** The answers of AdGuard's extension for each URL: letters of "dsi". */
function askAdGuard(lines, urls) {
  const text = adGuard.RuleConverter.convertRules(lines.join('\n'));
  const list = new adGuard.StringRuleList(1, text);
  const engine = new adGuard.Engine(new adGuard.RuleStorage([list]));
  const match = (url, source, type) =>
    engine.matchRequest(new adGuard.Request(url, source, type, 'GET'), engine.matchFrame(source));
  return urls.map((url) => {
    const navigates = () => stopsAdGuard(match(url, url, adGuard.RequestType.Document), true);
    const loads = (type) => stopsAdGuard(match(url, page, adGuardTypes[type]), false);
    return lettersOf('dsi', navigates, loads);
  });
}

/** True if what a rule of uBlock Origin matches in a URL ends with the host, or with one more character. */
function endsWithHost(url, { regex }) {
  const [match] = url.toLowerCase().matchAll(new RegExp(regex, 'gi'));
  if (match === undefined) return false;
  const { hostname } = new URL(url);
  const behind = match.index + match[0].length - (url.indexOf(hostname) + hostname.length);
  return behind === 0 || behind === 1;
}

/**
 * uBlock Origin stops a navigation for a rule that names documents, or for a rule without types that ends with the
 * host. An exception of either kind is stronger, and `$important` is stronger than exceptions.
 */
function stopsUbo(url, match) {
  const found = ['main_frame', 'no_type'].map((type) => {
    const verdict = match(url, url, type);
    const isBlock = verdict === 1 && (type === 'main_frame' || endsWithHost(url, ubo.toLogData()));
    return { verdict, isBlock, isImportant: isBlock && ubo.isBlockImportant() };
  });
  if (found.some(({ isImportant }) => isImportant)) return true;
  return found.some(({ isBlock }) => isBlock) && found.every(({ verdict }) => verdict !== 2);
}

/** The answers of uBlock Origin for each URL: letters of "DSI". */
async function askUbo(lines, urls) {
  await ubo.useLists([{ raw: lines.join('\n') }]);
  const context = new FilteringContext();
  // With 3 it looks for exceptions too where no rule blocks. Rules without types are not for navigations.
  const match = (url, originURL, type, how) =>
    uboFilters.matchRequest(context.fromDetails({ url, originURL, type }), how);
  return urls.map((url) => {
    const navigates = () => stopsUbo(url, (...request) => match(...request, 3));
    const loads = (type) => match(url, page, type, 0) === 1;
    return lettersOf('DSI', navigates, loads);
  });
}

const { command, skip } = startOf('adguard-dns');

export { skip };

const hostOf = (url) => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** The answers of AdGuard Home for the hosts of each case's URLs: "h" if it is blocked, "r" for another address. */
function askDns(cases) {
  const questions = cases.map(({ lines, urls }) => ({ lines, hosts: urls.map(hostOf) }));
  const [program, ...args] = command;
  const printed = execFileSync(program, args, {
    input: JSON.stringify(questions),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(printed).map((verdicts, i) =>
    cases[i].urls.map((url) => verdicts[hostOf(url)]),
  );
}

/** The answers of all programs for cases `{ lines, urls }`: letters of "dsiDSIhr" for each URL. A URL may lack https://. */
export async function askAll(questions) {
  const cases = questions.map(({ lines, urls }) => ({
    lines,
    urls: urls.map((url) => (url.includes('://') ? url : `https://${url}`)),
  }));
  const dns = askDns(cases);
  const answers = [];
  for (const [i, { lines, urls }] of cases.entries()) {
    const all = [askAdGuard(lines, urls), await askUbo(lines, urls), dns[i]];
    answers.push(urls.map((_, at) => all.map((letters) => letters[at]).join('')));
  }
  return answers;
}
