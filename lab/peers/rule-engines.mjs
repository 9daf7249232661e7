// Asks programs about rules of ad blockers: AdGuard's extension, uBlock Origin, and the DNS server AdGuard Home.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { StaticNetFilteringEngine } from '@gorhill/ubo-core';
import { FilteringContext } from '@gorhill/ubo-core/js/filtering-context.js';
import uboFilters from '@gorhill/ubo-core/js/static-net-filtering.js';
import { startOf } from './peer.mjs';

// Uses CommonJS, because its ES modules need a bundler.
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

/** The page that loads scripts and images from other sites. */
const page = 'https://page.test/';

/** The letter for a navigation, followed by those for a script and an image if they are blocked. */
const answerOf = (navigation, [script, image], loads) =>
  `${navigation}${loads('script') ? script : ''}${loads('image') ? image : ''}`;

const adGuardTypes = {
  script: adGuard.RequestType.Script,
  image: adGuard.RequestType.Image,
};

/** Asks AdGuard's extension: "d" or "a" for a navigation, "s" and "i" for what a page loads. */
function askAdGuard(lines, urls) {
  const text = adGuard.RuleConverter.convertRules(lines.join('\n'));
  const list = new adGuard.StringRuleList(1, text);
  const engine = new adGuard.Engine(new adGuard.RuleStorage([list]));
  /** The rule that decides a request, and whether it blocks. A rule with only `$popup` closes new windows. */
  const decide = (url, source, type) => {
    const request = new adGuard.Request(url, source, type, 'GET');
    const result = engine.matchRequest(request, engine.matchFrame(source));
    const rule = result.getBasicResult();
    const blocks = rule !== null && !rule.isAllowlist() && rule !== result.getPopupRule();
    return { rule, blocks };
  };
  /** A navigation is blocked by a rule for documents, or by a redirect. */
  const navigate = (url) => {
    const { rule, blocks } = decide(url, url, adGuard.RequestType.Document);
    if (rule?.isAllowlist()) return 'a';
    const isForPages =
      rule?.isOptionEnabled(adGuard.NetworkRuleOption.Redirect) ||
      (rule?.getPermittedRequestTypes() & adGuard.RequestType.Document) !== 0;
    return blocks && isForPages ? 'd' : '';
  };
  return urls.map((url) =>
    answerOf(navigate(url), 'si', (type) => decide(url, page, adGuardTypes[type]).blocks),
  );
}

/** True if the part of the URL that a uBlock Origin rule matches ends with the host, or one character after it. */
function endsWithHost(url, { regex }) {
  const match = new RegExp(regex, 'i').exec(url);
  if (match === null) return false;
  const { hostname } = new URL(url);
  const behind = match.index + match[0].length - (url.indexOf(hostname) + hostname.length);
  return behind === 0 || behind === 1;
}

/** Asks uBlock Origin: "D" or "A" for a navigation, "S" and "I" for what a page loads. */
async function askUbo(lines, urls) {
  await ubo.useLists([{ raw: lines.join('\n') }]);
  const context = new FilteringContext();
  const [blocked, excepted] = [1, 2];
  /** If `how` is 3, exceptions count even if no rule blocks, and types count only if a rule names them. */
  const match = (url, originURL, type, how) =>
    uboFilters.matchRequest(context.fromDetails({ url, originURL, type }), how);
  /**
   * A navigation is blocked by a rule for documents, or by a rule without types that ends with the host. An exception
   * of either kind overrides that, and a block with `$important` overrides the exception.
   */
  const navigate = (url) => {
    const found = ['main_frame', 'no_type'].map((type) => {
      const verdict = match(url, url, type, 3);
      const blocks =
        verdict === blocked && (type === 'main_frame' || endsWithHost(url, ubo.toLogData()));
      return { verdict, blocks, isImportant: blocks && ubo.isBlockImportant() };
    });
    if (found.some(({ isImportant }) => isImportant)) return 'D';
    if (found.some(({ verdict }) => verdict === excepted)) return 'A';
    return found.some(({ blocks }) => blocks) ? 'D' : '';
  };
  return urls.map((url) =>
    answerOf(navigate(url), 'SI', (type) => match(url, page, type, 0) === blocked),
  );
}

const { command, skip } = startOf('adguard-dns');

export { skip };

/** The name in a DNS query. */
const hostOf = (url) => new URL(url).hostname.replaceAll(/^\[|[.\]]$/g, '');

/** Asks AdGuard Home about the hosts of each case's URLs. The answers are letters of programs/adguard-dns. */
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

/** The answers of all programs for cases `{ lines, urls }`: letters for each URL, which may be without https://. */
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
