import { parse as parsePath } from 'node:path';
import { type PublishGate, type UrlList, UrlListBuilder } from 'tamis/url';
import { outputFile, parse, parseCount, parsePercent } from './arguments.js';
import { about, asUsage, CommandError, codeOf, describe, UsageError } from './errors.js';
import { describeFigures, figuresOf } from './figures.js';
import { writeAtomically } from './files.js';
import { formatCount, formatMs, plural, printable } from './format.js';
import { counted, openList, STANDARD_INPUT, textsOf } from './lists.js';
import { print, printJson } from './output.js';
import { changeSince, loadList } from './url-lists.js';
import { givenRule } from './url-rule.js';

const optionTable = {
  output: { type: 'string', short: 'o' },
  name: { type: 'string' },
  kind: { type: 'string', default: 'hosts' },
  'prefix-bytes': { type: 'string', default: '4' },
  rule: { type: 'string' },
  previous: { type: 'string' },
  'must-not-match': { type: 'string' },
  'max-change': { type: 'string' },
  'min-entries': { type: 'string' },
  hashes: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parse<typeof optionTable>>['values'];

/** How the builder takes the lines of LIST. */
type Adder = (builder: UrlListBuilder, lines: string[]) => unknown;

const adders: Readonly<Record<string, Adder>> = {
  hosts: (builder, lines) => builder.addHosts(lines),
  urls: (builder, lines) => builder.addUrls(lines),
  expressions: (builder, lines) => builder.addExpressions(lines),
};

/** `tamis url build LIST -o FILE`: a list of URLs that has passed its gate, written to a file. */
export async function urlBuild(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError('url build: expected one LIST, a file or - for standard input');
  }
  const output = outputFile('url build', values.output);
  const { hashes, json } = values;
  checkTogether(path, output, values);
  const limits = limitsOf(values);
  const add = adderOf(values.kind);
  const builder = builderFor(path, values);
  const previous = values.previous === undefined ? undefined : await loadList(values.previous);

  const started = performance.now();
  const lines = await addLines(path, (texts) => add(builder, texts));
  const goodPath = values['must-not-match'];
  const list = await passed(builder, { limits, previous, goodPath }, json);
  const change = previous && changeSince(previous, list);
  const bytes = list.toBytes();
  const buildMs = performance.now() - started;
  if (hashes !== undefined) await writeAtomically(hashes, builder.fullHashes);
  await writeAtomically(output, bytes);

  const figures = figuresOf(list, bytes.length);
  if (json) {
    const { name } = builder;
    const files = { output, ...(hashes === undefined ? {} : { hashes }) };
    await printJson({ name, ...figures, ...change, ...files, lines, buildMs });
  } else {
    const from = `${plural(lines, 'line')} of ${path}, ${formatMs(buildMs)}`;
    const counts = change && [change.additions, change.removals].map(formatCount);
    const since = counts ? `; ${counts[0]} added, ${counts[1]} removed` : '';
    await print(`${printable(`${output}: ${from}${since}`)}\n`);
    await print(describeFigures(list, bytes.length));
  }
  list.dispose();
}

function adderOf(kind: string): Adder {
  const add = Object.hasOwn(adders, kind) ? adders[kind] : undefined;
  if (add !== undefined) return add;
  throw new UsageError(`--kind ${kind}: expected one of ${Object.keys(adders).join(', ')}`);
}

/** Throws for options that contradict one another. */
function checkTogether(path: string, output: string, values: Values): void {
  if (values.hashes === output) throw new UsageError('url build: -o and --hashes are two files');
  if (values['must-not-match'] === path && path === STANDARD_INPUT) {
    throw new UsageError('url build: standard input can be read once only, so give - once');
  }
  if (values['max-change'] !== undefined && values.previous === undefined) {
    throw new UsageError('url build: --max-change needs --previous, which it is a change of');
  }
}

function limitsOf(values: Values): PublishGate {
  const { 'max-change': change, 'min-entries': least } = values;
  const percent = change === undefined ? undefined : parsePercent('--max-change', change);
  return {
    ...(percent === undefined ? {} : { maxRemovedPct: percent, maxAddedPct: percent }),
    ...(least === undefined ? {} : { minEntries: parseCount('--min-entries', least) }),
  };
}

/** Called as the file, if it has no name. */
function builderFor(path: string, values: Values): UrlListBuilder {
  const prefixBytes = parseCount('--prefix-bytes', values['prefix-bytes']) as 4 | 8 | 16 | 32;
  const name = values.name ?? parsePath(path).name;
  const rule = givenRule(values.rule);
  try {
    return new UrlListBuilder({ name, prefixBytes, rule });
  } catch (error) {
    throw asUsage(error);
  }
}

/** Hands the lines of a list over as they come; how many there were. */
async function addLines(path: string, add: (lines: string[]) => unknown): Promise<number> {
  const list = await openList(path);
  const tally = { lines: 0 };
  for await (const batch of counted(list, tally)) {
    const texts = textsOf(batch);
    try {
      add(texts);
    } catch (error) {
      const { index } = error as { index?: number };
      if (index === undefined) throw error;
      throw atEntry(list.name, tally.lines - texts.length + index, texts[index] as string, error);
    }
  }
  return tally.lines;
}

function atEntry(name: string, index: number, text: string, error: unknown): CommandError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  return about(`${name}: entry ${formatCount(index + 1)} '${shown}'`, error);
}

async function linesOf(path: string): Promise<string[]> {
  const all: string[] = [];
  await addLines(path, (lines) => {
    for (const line of lines) all.push(line);
  });
  return all;
}

interface Gate {
  readonly limits: PublishGate;
  readonly previous: UrlList | undefined;
  /** The file of what must not match. */
  readonly goodPath: string | undefined;
}

/** The list; where the gate refuses it, an error whose details are what offends. */
async function passed(builder: UrlListBuilder, gate: Gate, json: boolean): Promise<UrlList> {
  const { limits, previous, goodPath } = gate;
  const good = goodPath === undefined ? undefined : await linesOf(goodPath);
  let at = 0;
  function* sites(): Generator<string> {
    for (at = 0; good && at < good.length; at++) yield good[at] as string;
  }
  try {
    return builder.build({
      ...(previous && { previous }),
      gate: { ...limits, ...(good && { mustNotMatch: sites() }) },
    });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ERR_TAMIS_INVALID_URL' && good && goodPath !== undefined) {
      throw atEntry(goodPath, at, good[at] as string, error);
    }
    if (code !== 'ERR_TAMIS_REFUSED') throw error;
    const { offenders = [] } = error as { offenders?: readonly string[] };
    const reason = describe(error);
    if (json) await printJson({ name: builder.name, refused: reason, offenders });
    const message = `${builder.name}: ${reason}`;
    throw new CommandError(message, { cause: error, details: json ? [] : offenders });
  }
}
