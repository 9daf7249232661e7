import type { HostRule, UrlList } from 'tamis/url';
import { listOptions, textsOf } from '../files/lists.js';
import { answerAll, checkStandardInput } from '../files/questions.js';
import { publicKeysOption } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { escapeControls, toJson } from '../frame/format.js';
import { fetchList, findManifest, loadList } from './published.js';
import { ruleNames, ruleOption } from './rule.js';

export const urlCheck = command({
  usage: 'url check LIST [URL...]',
  summary: 'looks URLs up in a list',
  about: 'Looks URLs up in a list, and prints an answer for each.',
  operands: {
    LIST: 'a file that tamis url build wrote, a folder that tamis url publish wrote, its manifest.json, or the http or https URL of that',
    URL: 'a URL to look up; - reads URLs from standard input, one on each line, as tamis does without a URL',
  },
  expected: [1, Infinity, 'a list: its FILE, FOLDER or MANIFEST-URL'],
  options: {
    'public-key': publicKeysOption('a public key that may have signed the folder or the manifest'),
    name: {
      value: 'NAME',
      help: 'the name under which the list was published; needed for a folder or a manifest',
    },
    rule: ruleOption(
      'the rule with which the list was built: parents, labels5 or tldts; needed only for tldts',
    ),
    ...listOptions,
    json: {
      help: 'prints a line of JSON for each URL: {"url":"a","verdict":"maybe","expressions":["a/"]}',
    },
  },
  notes: [
    'Answers:',
    {
      safe: 'the URL is certainly not listed',
      maybe: 'the URL is listed, or a false positive; the line names the expressions that hit',
      invalid: 'this is no URL of the web, so it is not known to be safe',
    },
    'Exit codes:',
    {
      0: 'some URL is maybe, or the reader closed the pipe',
      1: 'every URL is safe',
      2: 'an error, or some URL is invalid and none is maybe',
    },
  ],
  async run(values, [path, ...urls]: readonly [string, ...string[]], terminal) {
    checkStandardInput('url check', urls);
    const { 'public-key': publicKeys, name, rule } = values;
    const list = await loadListAt(path, publicKeys, name, rule);
    if (rule === undefined && !ruleNames.some((one) => one === list.rule)) {
      throw new UsageError(
        `${path}: the list was built by the rule '${list.rule}': expected --rule tldts`,
      );
    }
    const { paint } = terminal.look;
    const code = await answerAll({ asked: urls, noun: 'URL', rules: values }, terminal, (batch) => {
      const texts = textsOf(batch);
      const answers = list.checkMany(texts);
      const lines = texts.map((url, i) => {
        const verdict = answers[i] ?? '';
        const hits = verdict === 'maybe' ? list.hits(url) : [];
        const expressions = hits.map(({ expression }) => expression);
        if (values.json) return `${toJson({ url, verdict, expressions })}\n`;
        const by = hits.length > 0 ? `  by ${expressions.join(' and ')}` : '';
        const shown = paint(colours[verdict] ?? 'red', verdict.padEnd('invalid'.length));
        return `${shown}  ${escapeControls(`${url}${by}`)}\n`;
      });
      const invalid = answers.filter((one) => one !== 'safe' && one !== 'maybe').length;
      return { lines, isPresent: answers.includes('maybe'), invalid };
    });
    list.dispose();
    return code;
  },
});

/** Certain answers are green, `maybe` is yellow, and `invalid` is red. */
const colours: Readonly<Record<string, 'green' | 'yellow'>> = { safe: 'green', maybe: 'yellow' };

/** Loads a list. Only a published list has public keys and a name; a list in a file has neither. */
async function loadListAt(
  path: string,
  publicKeys: readonly string[] | undefined,
  name: string | undefined,
  rule: HostRule | undefined,
): Promise<UrlList> {
  const source = await findManifest(path);
  if (source === undefined) {
    if (publicKeys === undefined && name === undefined) return loadList(path, rule);
    const what = '--public-key and --name are for a manifest';
    throw new UsageError(`${path}: a list in a file is not signed; ${what}`);
  }
  if (publicKeys === undefined) {
    throw new UsageError(`${path}: expected --public-key HEX, which tamis url publish prints`);
  }
  if (name === undefined) {
    throw new UsageError(`${path}: expected --name NAME: the key may have signed other lists too`);
  }
  return fetchList(source, path, { publicKeys, name, rule });
}
