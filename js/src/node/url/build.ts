import { parse as parsePath, resolve } from 'node:path';
import { type PublishGate, type UrlList, UrlListBuilder } from 'tamis/url';
import { refuseToOverwrite, writeAtomically } from '../files/files.js';
import { describeDropped } from '../files/list-lines.js';
import { type List, listOptions, openList, showReading, textsOf } from '../files/lists.js';
import { checkStandardInput } from '../files/questions.js';
import { report } from '../filters/figures.js';
import {
  countOption,
  figuresAsJson,
  outputOption,
  readOneOf,
  readPercent,
  requireOutput,
} from '../frame/arguments.js';
import { command, dropUndefined, type Options, type ValuesOf } from '../frame/command.js';
import { CommandError, codeOf, describe, UsageError, withOptions } from '../frame/errors.js';
import { formatCount, formatMs, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import { loadList } from './published.js';
import { ruleOption } from './rule.js';

/** How the builder takes the lines of LIST, by their kind. */
const adders = { hosts: 'addHosts', urls: 'addUrls', expressions: 'addExpressions' } as const;
const kinds = Object.keys(adders) as (keyof typeof adders)[];

const options = {
  output: outputOption,
  name: {
    value: 'NAME',
    help: 'the name of the list in messages (default: LIST without its ending)',
  },
  kind: {
    value: 'KIND',
    help: 'what a line of LIST is: hosts, each with all its pages and subdomains; urls, each a single page; expressions, such as host/folder/ or host/page?query',
    words: kinds,
    default: 'hosts',
    read: (kind: string, option: string) => adders[readOneOf(kinds)(kind, option)],
  },
  'prefix-bytes': {
    ...countOption(
      'bytes of an entry: 4, 8, 16 or 32; with 4 a confirm server settles hits, and from 8 on a hit is the verdict',
    ),
    words: ['4', '8', '16', '32'],
    default: '4',
  },
  rule: ruleOption(
    'the rule that gives the hosts to look up for a URL: labels5, or tldts, which uses the public suffixes of that package',
  ),
  hashes: {
    value: 'FILE',
    help: 'writes the full hashes to FILE, which createConfirmHandler takes',
  },
  'skip-invalid': {
    help: 'skips lines that are no entry, and shows the first 20; without it they are an error',
  },
  ...listOptions,
  json: figuresAsJson,
  'must-not-match': {
    heading: 'The gate (tamis writes no list that it refuses; the error names what offends):',
    value: 'FILE',
    help: 'a list of URLs or hosts that no entry may match',
  },
  previous: { value: 'FILE', help: 'the list that is published now' },
  'max-change': {
    value: 'PERCENT',
    help: 'the highest share of the entries of --previous that may come, and that may go',
    read: readPercent,
  },
  'min-entries': countOption('the lowest number of entries'),
} as const satisfies Options;

type Values = ValuesOf<typeof options>;

/** `tamis url build LIST -o FILE`: a list of URLs that has passed its gate, written to a file. */
export const urlBuild = command({
  usage: 'url build LIST -o FILE',
  summary: 'builds a list, if it passes the gate',
  about: 'Builds a list of the URLs or hosts in LIST, and writes it to FILE if it passes the gate.',
  operands: { LIST: 'a file with an entry on each line, plain or gzip, or - for standard input' },
  expected: [1, 1, 'one LIST, a file or - for standard input'],
  options,
  async run(values, [path]: readonly [string], terminal) {
    const output = requireOutput('url build', values.output);
    const { hashes, json, rule, kind: add, 'must-not-match': goodPath } = values;
    checkTogether(path, output, values);
    const read = [path, goodPath];
    await refuseToOverwrite('-o', output, read, terminal);
    if (hashes !== undefined) {
      await refuseToOverwrite('--hashes', hashes, [output, values.previous, ...read], terminal);
    }
    const builder = withOptions(() => {
      const prefixBytes = values['prefix-bytes'] as 4 | 8 | 16 | 32;
      return new UrlListBuilder({ prefixBytes, rule, skipInvalid: values['skip-invalid'] });
    });
    // What messages and the JSON call the list.
    const name = values.name ?? parsePath(path).name;
    const previous = values.previous === undefined ? undefined : await loadList(values.previous);

    const started = performance.now();
    const list = await openList(path, values, terminal);
    const skipped: SkippedLine[] = [];
    await addLines(list, terminal, (texts, numbers) => {
      const before = builder.skipped.first.length;
      builder[add](texts);
      const found = builder.skipped.first.slice(before);
      const lines = found.length > 0 ? numbers() : [];
      for (const { index, entry, message } of found) {
        skipped.push({ line: lines[index] as number, entry, message: dropMethod(message) });
      }
    });
    tellSkipped(list, builder.skipped.count, skipped, terminal);
    const good = goodPath === undefined ? undefined : await openList(goodPath, values, terminal);
    const { 'max-change': percent, 'min-entries': minEntries } = values;
    const limits = dropUndefined({ maxRemovedPct: percent, maxAddedPct: percent, minEntries });
    const made = await buildGated(name, builder, { limits, previous, good }, json, terminal);
    const change = previous && countChanges(previous, made);
    const bytes = made.toBytes();
    const buildMs = performance.now() - started;
    if (hashes !== undefined) await writeAtomically(hashes, builder.fullHashes);
    await writeAtomically(output, bytes);

    const { keys: lines, extras } = list;
    const left = { skipped: { count: builder.skipped.count, first: skipped } };
    const more = {
      ...{ name, ...change, output, ...dropUndefined({ hashes }), lines, ...extras },
      ...(values['skip-invalid'] && left),
      buildMs,
    };
    const dropped = values.comments && describeDropped(extras);
    const from = `${pluralize(lines, 'line')} of ${list.name}, ${dropped ? `${dropped}, ` : ''}`;
    const counts = change && [change.additions, change.removals].map(formatCount);
    const since = counts ? `; ${counts[0]} added, ${counts[1]} removed` : '';
    const heading = `${output}: ${from}${formatMs(buildMs)}${since}`;
    await report(made, { json, fileBytes: bytes.length, heading, more }, terminal);
    made.dispose();
  },
});

/** Entries that came and went. */
function countChanges(older: UrlList, list: UrlList): { additions: number; removals: number } {
  const delta = list.diff(older);
  const { additions, removals } = delta;
  delta.dispose();
  return { additions, removals };
}

/** Throws for options that contradict one another. */
function checkTogether(path: string, output: string, values: Values): void {
  if (values.name === '') throw new UsageError('url build: --name must not be empty');
  if (values.hashes !== undefined && resolve(values.hashes) === resolve(output)) {
    throw new UsageError('url build: -o and --hashes need two different files');
  }
  checkStandardInput('url build', [path, values['must-not-match']]);
  if (values['max-change'] !== undefined && values.previous === undefined) {
    throw new UsageError('url build: --max-change needs --previous');
  }
}

/** Hands the lines of a list over as they come, with their numbers. */
async function addLines(
  list: List,
  terminal: Terminal,
  add: (texts: string[], numbers: () => number[]) => unknown,
): Promise<void> {
  for await (const batch of showReading(list, terminal)) {
    const texts = textsOf(batch);
    const numbers = (): number[] => list.lineNumbers(batch);
    try {
      add(texts, numbers);
    } catch (error) {
      const { index } = error as { index?: number };
      if (index === undefined) throw error;
      throw lineError(list.name, numbers()[index] as number, texts[index] as string, error);
    }
  }
}

/** A line of the list that is no entry. */
interface SkippedLine {
  readonly line: number;
  /** As it stands, and why it is none. */
  readonly entry: string;
  readonly message: string;
}

/** Says what --skip-invalid has skipped. Throws where that is all: such a list would call everything safe. */
function tellSkipped(
  { name, keys }: List,
  count: number,
  first: readonly SkippedLine[],
  terminal: Terminal,
): void {
  if (count === 0) return;
  const details = first.map(({ line, message }) => `line ${formatCount(line)}: ${message}`);
  if (count === keys) {
    const [one = ''] = details;
    throw new CommandError(`${name}: every line is invalid: ${one}`);
  }
  terminal.warn(name, `${pluralize(count, 'invalid line')} skipped`);
  terminal.complainOf(details, count);
}

/** What the builder says, without the name of its method, which nobody called here. */
const dropMethod = (message: string): string => message.replace(/^add\w+: /, '');

/** Letters of a line that a message shows. */
const MAX_SHOWN = 80;

function lineError(name: string, line: number, text: string, error: unknown): CommandError {
  const message = dropMethod(describe(error));
  const start = text.slice(0, MAX_SHOWN);
  const shownText = message.includes(start)
    ? ''
    : ` '${start}${text.length > MAX_SHOWN ? '...' : ''}'`;
  const hint = text.startsWith('#') ? "; --comments '#' drops comments" : '';
  const place = `${name}: line ${formatCount(line)}${shownText}`;
  return new CommandError(`${place}: ${message}${hint}`, { cause: error });
}

interface Gate {
  readonly limits: PublishGate;
  readonly previous: UrlList | undefined;
  /** What must not match. */
  readonly good: List | undefined;
}

/** The list; where the gate refuses it, an error whose details are what offends. */
async function buildGated(
  name: string,
  builder: UrlListBuilder,
  { limits, previous, good }: Gate,
  json: boolean,
  terminal: Terminal,
): Promise<UrlList> {
  const sites: { readonly text: string; readonly line: number }[] = [];
  if (good) {
    await addLines(good, terminal, (texts, numbers) => {
      const lines = numbers();
      for (const [i, text] of texts.entries()) sites.push({ text, line: lines[i] as number });
    });
  }
  let at = 0;
  function* texts(): Generator<string> {
    for (at = 0; at < sites.length; at++) yield (sites[at] as { text: string }).text;
  }
  try {
    return builder.build({
      ...(previous && { previous }),
      gate: { ...limits, ...(good && { mustNotMatch: texts() }) },
    });
  } catch (error) {
    const code = codeOf(error);
    const site = sites[at];
    if (code === 'ERR_TAMIS_INVALID_URL' && good && site) {
      throw lineError(good.name, site.line, site.text, error);
    }
    if (code !== 'ERR_TAMIS_REFUSED') throw error;
    const { offenders = [] } = error as { offenders?: readonly string[] };
    const reason = describe(error);
    if (json) await terminal.printJson({ name, refused: reason, offenders });
    const message = `${name}: ${reason}`;
    throw new CommandError(message, { cause: error, details: json ? [] : offenders });
  }
}
