import type { HostRule, UrlList } from 'tamis/url';
import { readPublicKey } from './arguments.js';
import { command } from './command.js';
import { UsageError } from './errors.js';
import { escapeControls } from './format.js';
import { listOptions, textsOf } from './lists.js';
import { answerAll, checkStandardInput } from './questions.js';
import { loadList } from './url-lists.js';
import { fetchList, findManifest } from './url-published.js';
import { readRule } from './url-rule.js';

/** `tamis url check LIST [URL...]`: a line for every URL, and the exit code of answerAll. */
export const urlCheck = command({
  usage: 'url check LIST [URL...]',
  summary: 'is a URL on it?',
  operands: {
    LIST: 'a file that tamis url build wrote; a folder that tamis url publish wrote, or its manifest.json; the http or https URL of that',
    URL: 'a URL to ask for; - reads them from standard input, one a line; with no URL at all they are read from there too',
  },
  expected: [1, Infinity, 'a list: its FILE, FOLDER or MANIFEST-URL'],
  options: {
    'public-key': {
      value: 'HEX',
      help: 'who may have signed, of a folder or a manifest; may be given again',
      multiple: true,
      read: readPublicKey,
    },
    rule: {
      value: 'RULE',
      help: 'the rule that the list was built by: labels5 or tldts (default labels5)',
      default: 'labels5',
      read: readRule,
    },
    ...listOptions,
    json: {
      help: 'a line of JSON for each: {"url":"a","verdict":"maybe","expressions":["a/"]}',
    },
  },
  notes: [
    'The answers; safe alone means safe:',
    {
      safe: 'certainly not listed',
      maybe: 'as every listed URL is; with the expressions that hit',
      invalid: 'no URL of the web: it cannot be looked up, and is not known to be safe',
    },
    'Exit codes:',
    {
      0: 'some URL is maybe; also when the reader closes the pipe',
      1: 'every URL is safe',
      2: 'an error, or some URL is invalid and none is maybe',
    },
  ],
  async run(values, [path, ...urls]: readonly [string, ...string[]], terminal) {
    checkStandardInput('url check', urls);
    const list = await loadListAt(path, values['public-key'], values.rule);
    const show = values.json ? asJson : asText;
    const questions = { asked: urls, noun: 'URL', rules: values };
    const code = await answerAll(questions, terminal, (batch) => {
      const texts = textsOf(batch);
      const answers = list.checkMany(texts);
      const lines = texts.map((url, i) => {
        const hits = answers[i] === 'maybe' ? list.hits(url) : [];
        const expressions = hits.map(({ expression }) => expression);
        return show(url, answers[i] as string, expressions);
      });
      const invalid = answers.filter((one) => one !== 'safe' && one !== 'maybe').length;
      return { lines, found: answers.includes('maybe'), invalid };
    });
    list.dispose();
    return code;
  },
});

async function loadListAt(
  path: string,
  publicKeys: readonly string[] | undefined,
  rule: HostRule,
): Promise<UrlList> {
  const source = await findManifest(path);
  if (source === undefined) {
    if (publicKeys === undefined) return loadList(path, rule);
    throw new UsageError(`${path}: a list in a file is not signed; --public-key is for a manifest`);
  }
  if (publicKeys === undefined) {
    throw new UsageError(`${path}: expected --public-key HEX, which tamis url publish prints`);
  }
  return fetchList(source, path, { publicKeys, rule });
}

const asText = (url: string, verdict: string, expressions: readonly string[]): string => {
  const by = expressions.length > 0 ? `  by ${expressions.join(' and ')}` : '';
  return `${verdict.padEnd(7)}  ${escapeControls(`${url}${by}`)}\n`;
};

const asJson = (url: string, verdict: string, expressions: readonly string[]): string =>
  `${JSON.stringify({ url, verdict, expressions })}\n`;
