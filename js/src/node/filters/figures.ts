import {
  BitArray,
  BlockedBloomFilter,
  BloomFilter,
  type Filter,
  RotatingBloomFilter,
  ScalableBloomFilter,
  type Structure,
} from 'tamis';
import { UrlDelta, UrlList } from 'tamis/url';
import { writeOutput } from '../files/files.js';
import {
  formatCount,
  formatPercent,
  formatRate,
  formatSize,
  pluralize,
  type Row,
} from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';

type Show = (value: never) => string;

/** The labels and formats for the members of `toJSON`, in the order in which they are printed. */
const known: Readonly<Record<string, readonly [label: string, show: Show]>> = {
  format: ['format', String],
  type: ['type', String],
  length: ['bits', formatCount],
  count: ['keys', formatCount],
  excluded: ['excluded', (keys: number) => pluralize(keys, 'key')],
  additions: ['added', formatCount],
  removals: ['removed', formatCount],
  prefixBytes: ['prefix', (bytes: number) => pluralize(bytes, 'byte')],
  rule: ['rule', String],
  capacity: ['capacity', (keys: number) => pluralize(keys, 'key')],
  sizeBytes: ['memory', formatSize],
  fileBytes: ['file', formatSize],
  bitsPerKey: ['bits per key', (bits: number) => bits.toFixed(2)],
  fpr: ['false positives', (rate: number) => `${formatRate(rate)}, as designed`],
  estimatedFpr: ['', (rate: number) => `${formatRate(rate)}, as filled now`],
  bits: ['bits', formatCount],
  fillRatio: ['bits set', formatPercent],
  counters: ['counters', formatCount],
  counterBits: ['counter bits', formatCount],
  hashes: ['hashes', (hashes: number | number[]) => `${[hashes].flat().join(', ')} per key`],
  regions: ['regions', formatCount],
  deletableRatio: ['deletable now', (share: number) => `${formatPercent(share)} of the keys`],
  deletions: ['deletions', (keys: number) => `room for ${formatCount(keys)}`],
  falseNegativeRate: ['false negatives', (rate: number) => `${formatRate(rate)}, as filled now`],
  layers: ['layers', formatCount],
  growth: ['growth', (times: number) => `${formatCount(times)} times the keys, layer by layer`],
  tightening: ['tightening', (times: number) => `${times} times the rate, layer by layer`],
  generations: ['generations', formatCount],
  periodMs: ['period', (ms: number) => `${ms} ms`],
  fingerprintBits: ['fingerprint', (bits: number) => pluralize(bits, 'bit')],
  bucketSize: ['bucket', (slots: number) => pluralize(slots, 'fingerprint')],
  arity: ['places', (places: number) => `${formatCount(places)} per key`],
  valueBits: ['value', (bits: number) => pluralize(bits, 'bit')],
  checkBits: ['check', (bits: number) => pluralize(bits, 'bit')],
  loadFactor: ['places taken', formatPercent],
  differences: ['differences', (keys: number) => `room for ${formatCount(keys)}`],
  keyBytes: ['key', (bytes: number) => pluralize(bytes, 'byte')],
  scheme: ['scheme', String],
  hash: ['hash', String],
  seed: ['seed', String],
  sha256: ['sha256', String],
};

/** Labels for URL lists, which contain entries, and for deltas, which change them. */
const knownOfLists: typeof known = {
  count: ['entries', formatCount],
  fpr: ['false positives', (rate: number) => `${formatRate(rate)} of expressions`],
};

/** Labels for filters whose capacity nobody chose. */
const knownOfUnsized: typeof known = {
  capacity: ['capacity', (keys: number) => `${pluralize(keys, 'key')} set half of the bits`],
  fpr: ['false positives', (rate: number) => `${formatRate(rate)}, at the capacity`],
};

export const isAskable = (structure: Structure): structure is Structure & Pick<Filter, 'hasMany'> =>
  // A bit array and an invertible table also have `has`, but only to refuse keys.
  'hasMany' in structure && !['bit-array', 'iblt'].includes(structure.type);

const isFilter = (structure: Structure): structure is Filter => 'estimatedFpr' in structure;

function showFigure(value: unknown, show: Show): string {
  if (value === null) return 'none';
  if (typeof value === 'number' && !Number.isFinite(value)) return '-';
  return show(value as never);
}

/** The figures as rows for people: first the known ones, with units, then any others. */
function rowsOf(
  structure: Structure,
  figures: Readonly<Record<string, unknown>>,
  isUnsized: boolean,
): Row[] {
  const isOfUrls = structure instanceof UrlList || structure instanceof UrlDelta;
  const labels: typeof known = {
    ...known,
    ...(isOfUrls && knownOfLists),
    ...(structure instanceof BitArray && { count: ['bits set', formatCount] }),
    ...(isUnsized && knownOfUnsized),
    ...(figures.countIsEstimate === true && {
      count: ['keys', (keys: number) => `${formatCount(keys)}, as the bits say`],
    }),
  };
  const rows = Object.entries(labels)
    .filter(([name]) => name in figures)
    .map(([name, [label, show]]) => [label, showFigure(figures[name], show)] as const);
  const others = Object.entries(figures)
    .filter(([name]) => !(name in labels) && name !== 'countIsEstimate')
    .map(([name, value]) => [name, String(value)] as const);
  return [...rows, ...others];
}

/** The number of keys that the whole filter has room for; `capacity` may be only that of a part. */
function roomOf(structure: Filter): number {
  if (structure instanceof RotatingBloomFilter) return structure.capacity * structure.generations;
  return structure instanceof ScalableBloomFilter ? Number.POSITIVE_INFINITY : structure.capacity;
}

/**
 * True if nobody chose the capacity, so that it was computed as the number of keys that set half of the bits. That is
 * so for files of other programs, which state no capacity, and for tamis files converted from such files. Files with
 * the default scheme are rarely converted, so for them the result is false.
 */
function looksUnsized(structure: Structure, isForeign: boolean): boolean {
  const isBlocks = structure instanceof BlockedBloomFilter;
  if (!isBlocks && !(structure instanceof BloomFilter)) return false;
  if (isForeign) return true;
  if (structure.scheme === 'mcg' || structure.scheme === 'default') return false;
  // In a blocked filter, a key sets 8 bits.
  const { bits, hashes } = isBlocks ? { bits: 8 * structure.sizeBytes, hashes: 8 } : structure;
  return structure.capacity === Math.max(1, Math.floor((bits * Math.LN2) / hashes));
}

/** Warns of a filter with more false positives than designed; undefined for other filters. */
function overfullWarning(structure: Structure, isUnsized: boolean): string | undefined {
  if (!isFilter(structure)) return undefined;
  const { estimatedFpr, fpr, count } = structure;
  const room = roomOf(structure);
  // Up to its capacity, a filter's rate varies by chance around the designed rate, widely in a small filter. Then, and
  // if nobody chose the capacity, it warns only above the square root of the designed rate, which chance never reaches.
  const isAboveCapacity = count > room && !isUnsized;
  const overfull = isAboveCapacity ? estimatedFpr > fpr : estimatedFpr ** 2 > fpr;
  if (!overfull) return undefined;
  const rates = `false positives ${formatPercent(estimatedFpr)}, designed for ${formatPercent(fpr)}`;
  const keys = `it holds ${formatCount(count)} keys of ${formatCount(room)}`;
  return `overfull: ${rates}; ${keys}: rebuild it larger`;
}

interface Report {
  readonly json: boolean;
  readonly fileBytes: number;
  readonly heading: string;
  /** More members for --json. */
  readonly more?: object | undefined;
  /** The file that a warning of an overfull structure names. If set, --json has the member `overfull`. */
  readonly path?: string;
  /** Set if another program made the filter, or will read it. */
  readonly foreign?: Foreign | undefined;
  /** Called with the object of --json, before a file is written. */
  readonly take?: ((figures: object) => Promise<void>) | undefined;
}

export interface Foreign {
  readonly format: string;
  /** True if another program made the filter. */
  readonly isByOther: boolean;
  /** True if `count` is estimated from the set bits. */
  readonly isEstimate: boolean;
}

/** Writes a structure (or `bytes`, if passed) to a file, prints its figures, and disposes it. */
export async function writeAndReport(
  structure: Structure,
  output: string,
  options: Omit<Report, 'fileBytes'>,
  terminal: Terminal,
  bytes: Uint8Array = structure.toBytes(),
): Promise<void> {
  const write = () => writeOutput(output, bytes);
  await report(structure, { ...options, fileBytes: bytes.length }, terminal, write);
  structure.dispose();
}

export async function report(
  structure: Structure,
  { json, fileBytes, heading, more, path, foreign, take }: Report,
  terminal: Terminal,
  write?: () => Promise<void>,
): Promise<void> {
  const { content: _content, ...ownFigures } = structure.toJSON();
  const figures: Record<string, unknown> = {
    ...(foreign && { format: foreign.format, countIsEstimate: foreign.isEstimate }),
    ...ownFigures,
    ...(structure instanceof BloomFilter && { fillRatio: structure.fillRatio }),
    ...(structure instanceof UrlList && {
      fpr: structure.count / 2 ** (8 * structure.prefixBytes),
      sha256: Buffer.from(structure.sha256).toString('hex'),
    }),
    fileBytes,
  };
  const isUnsized = looksUnsized(structure, foreign?.isByOther ?? false);
  const warning = path === undefined ? undefined : overfullWarning(structure, isUnsized);
  const overfull = path === undefined ? {} : { overfull: warning !== undefined };
  const rows = rowsOf(structure, figures, isUnsized);
  const all = { ...figures, ...overfull, ...more };
  await take?.(all);
  await write?.();
  await terminal.printFigures(json, all, heading, rows);
  if (warning) terminal.warn(path as string, warning);
}
