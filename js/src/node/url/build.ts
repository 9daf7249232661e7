import { parse as parsePath, resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { type UrlList, UrlListBuilder } from 'tamis/url';
import { refuseToOverwrite, writeOutput } from '../files/files.js';
import { listOptions, openList, readTextFile } from '../files/lists.js';
import { checkStandardInput } from '../files/questions.js';
import { writeAndReport } from '../filters/figures.js';
import { countOption, figuresAsJson, outputOption, percentOption } from '../frame/arguments.js';
import { command, dropUndefined, type Options, type ValuesOf } from '../frame/command.js';
import { CommandError, codeOf, describe, orUsageError, UsageError } from '../frame/errors.js';
import { formatCount, formatMs } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import { Feeds, feedOptions } from './feeds.js';
import { addLines, addList, lineError } from './lines.js';
import { allowFirst, expectAlike, isFirst, loadList } from './published.js';
import { nameOfRule, ruleOption } from './rule.js';

const options = {
  output: outputOption,
  name: {
    value: 'NAME',
    help: 'the name of the list in messages (default: LIST without its ending; with --format, FILE without its ending)',
  },
  kind: {
    value: 'KIND',
    // Without a default, because it must be absent if --format is passed.
    help: 'what a line of LIST is: hosts, each with all its pages and subdomains; urls, each one page, or all pages below it if it ends in a slash; expressions, such as host/folder/ or host/page?query (default hosts)',
    words: ['hosts', 'urls', 'expressions'],
  },
  'prefix-bytes': {
    ...countOption(
      'bytes of an entry: 4, 8, 16 or 32; with 4, a confirm server must confirm hits; with more, a hit counts as listed',
    ),
    words: ['4', '8', '16', '32'],
    default: '4',
  },
  rule: {
    ...ruleOption(
      'the rule that gives the hosts to look up for a URL: parents, the host and each parent domain; labels5, as for the lists of Google; or tldts, which uses the public suffixes of the package tldts',
    ),
    default: 'parents',
  },
  hashes: {
    value: 'FILE',
    help: 'writes the full hashes to FILE, for createConfirmHandler',
  },
  'skip-invalid': {
    help: 'skips invalid lines, and shows the first 20; without this option, they are an error',
  },
  ...listOptions,
  json: figuresAsJson,
  ...feedOptions,
  'must-not-match': {
    heading: 'The gate (checks that a list must pass before FILE is written):',
    value: 'FILE',
    help: 'a list of URLs or hosts that no entry may match',
  },
  previous: { value: 'FILE', help: 'the list that is published now' },
  'allow-first': allowFirst,
  'max-change': percentOption(
    'the most entries that may be added, and that may be removed, as a share of the entries of --previous',
  ),
  'min-entries': countOption('the fewest entries that the list may have'),
} as const satisfies Options;

type Values = ValuesOf<typeof options>;

const oneList = 'one LIST, a file or - for standard input';

export const urlBuild = command({
  usage: 'url build LIST... -o FILE',
  summary: 'builds a list, if it passes the checks you ask for',
  about:
    'Builds a list of the URLs or hosts in LIST, and writes it to FILE if it passes the gate, the checks below. With --format, each LIST is a block list in a public format.',
  operands: {
    LIST: 'a file with an entry on each line, plain or gzip, or - for standard input; several with --format',
  },
  expected: [1, Number.POSITIVE_INFINITY, oneList],
  options,
  async run(values, paths: readonly [string, ...string[]], terminal) {
    const { output, hashes, json, rule, format } = values;
    await checkTogether(paths, values, terminal);
    const builder = orUsageError(() => {
      const prefixBytes = values['prefix-bytes'] as 4 | 8 | 16 | 32;
      return new UrlListBuilder({ prefixBytes, rule, skipInvalid: values['skip-invalid'] });
    });
    // The list's name in messages and in the JSON.
    const name = values.name ?? parsePath(format ? output : paths[0]).name;
    const gate = await readGate(values, terminal);
    if (gate.previous !== undefined) {
      const expected = { rule: nameOfRule(rule), prefixBytes: builder.prefixBytes };
      expectAlike(`--previous ${values.previous}`, gate.previous, name, expected);
    }

    const started = performance.now();
    const feeds = format ? new Feeds(builder, values, terminal) : undefined;
    let source: { readonly from: string; readonly more: object };
    let list: UrlList;
    try {
      source = await (feeds?.addAll(paths) ?? addList(paths[0], builder, values, terminal));
      list = await buildGated(name, builder, values, gate, terminal);
      if (list.count === 0) throw new CommandError(`${name}: no entry is left`);
    } catch (error) {
      const { offenders = [] }: { offenders?: readonly string[] } = Object(Object(error).cause);
      const refusal = { name, refused: describe(error), offenders, ...feeds?.figures };
      // If writing the report fails too, the error of the build is more useful.
      await feeds?.writeReport(refusal).catch(() => {});
      if (json) await terminal.printJson(refusal);
      throw error;
    }
    const delta = gate.previous && list.diff(gate.previous);
    const change = delta && { additions: delta.additions, removals: delta.removals };
    delta?.dispose();
    const bytes = list.toBytes();
    const buildMs = performance.now() - started;
    if (hashes !== undefined) await writeOutput(hashes, builder.fullHashes);

    const more = {
      ...{ name, ...change, output, ...dropUndefined({ hashes, report: values.report }) },
      ...source.more,
      buildMs,
    };
    const counts = change && [change.additions, change.removals].map(formatCount);
    const since = counts ? `; ${counts[0]} added, ${counts[1]} removed` : '';
    const heading = `${output}: ${source.from}${formatMs(buildMs)}${since}`;
    const take = (figures: object) => feeds?.writeReport(figures) ?? Promise.resolve();
    await writeAndReport(list, output, { json, heading, more, take }, terminal, bytes);
    await feeds?.printReport(name);
  },
});

/** Throws if options contradict each other, or if a file to write is also a file to read. */
async function checkTogether(
  paths: readonly string[],
  values: Values,
  terminal: Terminal,
): Promise<void> {
  const { output, hashes, report, previous, allow } = values;
  if (values.format === undefined) {
    if (paths.length > 1) throw new UsageError(`url build: expected ${oneList}`);
    for (const [name, value] of Object.entries(values)) {
      if (!(name in feedOptions) || value === undefined) continue;
      throw new UsageError(`url build: --${name} needs --format`);
    }
  } else if (values.kind !== undefined) {
    throw new UsageError('url build: --kind does not go with --format, which names the lines');
  }
  if (values.name === '') throw new UsageError('url build: --name must not be empty');
  // The files to write may not exist yet, so here only their paths are compared. Existing files are compared below.
  const outputs = dropUndefined({ '-o': output, '--hashes': hashes, '--report': report });
  const optionOf = new Map<string, string>();
  for (const [option, path] of Object.entries(outputs)) {
    const other = optionOf.get(resolve(path));
    if (other) throw new UsageError(`url build: ${other} and ${option} need two different files`);
    optionOf.set(resolve(path), option);
  }
  const { 'must-not-match': good, 'public-suffixes': suffixes } = values;
  const inputs = [...paths, good, allow, suffixes];
  checkStandardInput('url build', inputs);
  if (values.keep !== undefined && suffixes === undefined) {
    throw new UsageError('url build: --keep needs --public-suffixes');
  }
  for (const option of ['max-change', 'allow-first'] as const) {
    if (previous !== undefined || (values[option] ?? false) === false) continue;
    throw new UsageError(`url build: --${option} needs --previous`);
  }
  // The new list may overwrite the previous one. No other output may, and none may overwrite the new list.
  await refuseToOverwrite('-o', output, inputs, terminal);
  await refuseToOverwrite('--hashes', hashes, [output, previous, ...inputs], terminal);
  await refuseToOverwrite('--report', report, [output, previous, ...inputs], terminal);
}

const suffixHint =
  '; --allow FILE takes one off: =HOST for it alone, HOST with all that is listed below it; --keep HOST lists it';

/** Reads the files that the checks (the gate) need, before the list is built. */
async function readGate(
  { previous, 'allow-first': mayBeFirst, 'public-suffixes': suffixes, keep = [] }: Values,
  terminal: Terminal,
) {
  const isAlone = previous === undefined || (await isFirst(previous, mayBeFirst));
  return {
    previous: isAlone ? undefined : await loadList(previous),
    publicSuffixes:
      suffixes === undefined ? undefined : await readPublicSuffixes(suffixes, keep, terminal),
  };
}

// Reads the public suffix list of publicsuffix.org.

/** A rule in the list: `co.uk`, `*.ck`, `!www.ck`. */
const RULE = /^(!|\*\.)?([^\s!*/]+)$/;
/** The lines at the start and the end of each part of the list. */
const BORDER = /^\/\/ ===(BEGIN|END) [A-Z ]+===/;

/**
 * Returns a function that tests whether a host is a public suffix in the list at `path`. With a rule `*.host`, `host`
 * and all hosts directly below it are suffixes. A rule `!host` is an exception, and so are the hosts in `keep`. Throws
 * a CommandError if the file is not a public suffix list, or is incomplete.
 */
async function readPublicSuffixes(
  path: string,
  keep: readonly string[],
  terminal: Terminal,
): Promise<(host: string) => boolean> {
  const suffixes = new Set<string>();
  const wildcards = new Set<string>();
  const exceptions = new Set(keep);
  let openParts = 0;
  const { name, text } = await readTextFile(path, terminal);
  for (const [i, line] of text.split('\n').entries()) {
    const border = BORDER.exec(line)?.[1];
    if (border) openParts += border === 'BEGIN' ? 1 : -1;
    // A rule ends at white space.
    const [rule = ''] = line.trim().split(/\s/);
    if (rule === '' || rule.startsWith('//')) continue;
    const [, mark, suffix = ''] = RULE.exec(rule) ?? [];
    const host = domainToASCII(suffix);
    if (host === '') {
      const what = `line ${formatCount(i + 1)} '${rule.slice(0, 80)}' is not a rule`;
      throw new CommandError(`${name}: not a public suffix list: ${what}`);
    }
    if (mark === undefined) suffixes.add(host);
    else (mark === '!' ? exceptions : wildcards).add(host);
  }
  if (suffixes.size === 0) throw new CommandError(`${name}: a public suffix list without rules`);
  if (openParts !== 0) throw new CommandError(`${name}: the public suffix list is cut short`);
  return (host) =>
    !exceptions.has(host) &&
    (suffixes.has(host) || wildcards.has(host) || wildcards.has(host.slice(host.indexOf('.') + 1)));
}

/** Builds the list. If the gate refuses it, throws an error with the offending entries. */
async function buildGated(
  name: string,
  builder: UrlListBuilder,
  values: Values,
  { previous, publicSuffixes }: Awaited<ReturnType<typeof readGate>>,
  terminal: Terminal,
): Promise<UrlList> {
  const { 'must-not-match': goodPath, 'max-change': percent, 'min-entries': minEntries } = values;
  const goodList = goodPath === undefined ? undefined : await openList(goodPath, values, terminal);
  const sites: { readonly text: string; readonly line: number }[] = [];
  if (goodList) {
    await addLines(goodList, terminal, (texts, findNumbers) => {
      const lines = findNumbers();
      for (const [i, text] of texts.entries()) sites.push({ text, line: lines[i] ?? 0 });
    });
  }
  // The site that the builder read last, for an error about it.
  let site = sites[0];
  function* takeSites(): Generator<string> {
    for (site of sites) yield site.text;
  }
  const gate = dropUndefined({
    maxRemovedPct: percent,
    maxAddedPct: percent,
    minEntries,
    publicSuffixes,
    mustNotMatch: goodList && takeSites(),
  });
  try {
    return builder.build({ ...(previous && { previous }), gate });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ERR_TAMIS_INVALID_URL' && goodList && site) {
      throw lineError(goodList.name, site.line, site.text, error);
    }
    if (code !== 'ERR_TAMIS_REFUSED') throw error;
    const { offenders = [] }: { offenders?: readonly string[] } = Object(error);
    // The expression of a host ends with a slash.
    const isSuffix = (expression: string) => publicSuffixes?.(expression.slice(0, -1));
    const hint = offenders.length > 0 && offenders.every(isSuffix) ? suffixHint : '';
    const message = `${name}: ${describe(error)}${hint}`;
    throw new CommandError(message, { cause: error, details: values.json ? [] : offenders });
  }
}
