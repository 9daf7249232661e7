import type { UrlList } from 'tamis/url';
import { parse, parsePublicKey } from './arguments.js';
import { UsageError } from './errors.js';
import { escapeControls } from './format.js';
import { listOptions, readLineRules, textsOf } from './lists.js';
import { answerAll, checkStandardInput } from './questions.js';
import type { Terminal } from './terminal.js';
import { loadList } from './url-lists.js';
import { fetchList, findManifest } from './url-published.js';
import { parseRule } from './url-rule.js';

const optionTable = {
  ...listOptions,
  'public-key': { type: 'string', multiple: true },
  rule: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** `tamis url check LIST [URL...]`: a line for every URL, and the exit code of answerAll. */
export async function urlCheck(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...urls] = positionals;
  if (path === undefined) {
    throw new UsageError('url check: expected a list: its FILE, FOLDER or MANIFEST-URL');
  }
  checkStandardInput('url check', urls);
  const rules = readLineRules(values);
  const list = await loadListAt(path, values['public-key'], values.rule);
  const show = values.json ? asJson : asText;
  const questions = { asked: urls, noun: 'URL', rules };
  const code = await answerAll(questions, terminal, (batch) => {
    const texts = textsOf(batch);
    const answers = list.checkMany(texts);
    const lines = texts.map((url, i) => {
      const hits = answers[i] === 'maybe' ? list.hits(url) : [];
      return show(
        url,
        answers[i] as string,
        hits.map(({ expression }) => expression),
      );
    });
    const invalid = answers.filter((one) => one !== 'safe' && one !== 'maybe').length;
    return { lines, found: answers.includes('maybe'), invalid };
  });
  list.dispose();
  return code;
}

async function loadListAt(
  path: string,
  hexKeys: string[] | undefined,
  ruleName: string | undefined,
): Promise<UrlList> {
  const publicKeys = hexKeys?.map((text) => parsePublicKey('--public-key', text));
  const rule = parseRule(ruleName);
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
