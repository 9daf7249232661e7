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

type Show = (value: unknown) => string;

const number =
  (show: (value: number) => string): Show =>
  (value) =>
    typeof value === 'number' && Number.isFinite(value) ? show(value) : '-';

/** The labels and formats of the figures of `toJSON`, in the order of printing. */
const known: Readonly<Record<string, readonly [label: string, show: Show]>> = {
  format: ['format', String],
  type: ['type', String],
  length: ['bits', number(formatCount)],
  count: ['keys', number(formatCount)],
  excluded: ['excluded', number((value) => pluralize(value, 'key'))],
  additions: ['added', number(formatCount)],
  removals: ['removed', number(formatCount)],
  prefixBytes: ['prefix', number((value) => pluralize(value, 'byte'))],
  rule: ['rule', String],
  capacity: ['capacity', number((value) => pluralize(value, 'key'))],
  sizeBytes: ['memory', number(formatSize)],
  fileBytes: ['file', number(formatSize)],
  bitsPerKey: ['bits per key', number((value) => value.toFixed(2))],
  fpr: ['false positives', number((value) => `${formatRate(value)}, as designed`)],
  estimatedFpr: ['', number((value) => `${formatRate(value)}, as filled now`)],
  bits: ['bits', number(formatCount)],
  fillRatio: ['bits set', number(formatPercent)],
  counters: ['counters', number(formatCount)],
  counterBits: ['counter bits', number(formatCount)],
  hashes: ['hashes', (value) => `${[value].flat().join(', ')} per key`],
  regions: ['regions', number(formatCount)],
  deletableRatio: ['deletable now', number((value) => `${formatPercent(value)} of the keys`)],
  deletions: ['deletions', number((value) => `room for ${formatCount(value)}`)],
  falseNegativeRate: ['false negatives', number((value) => `${formatRate(value)}, as filled now`)],
  layers: ['layers', number(formatCount)],
  growth: ['growth', number((value) => `${formatCount(value)} times the keys, layer by layer`)],
  tightening: ['tightening', number((value) => `${value} times the rate, layer by layer`)],
  generations: ['generations', number(formatCount)],
  periodMs: ['period', (value) => (value === null ? 'none' : `${value} ms`)],
  fingerprintBits: ['fingerprint', number((value) => pluralize(value, 'bit'))],
  bucketSize: ['bucket', number((value) => pluralize(value, 'fingerprint'))],
  arity: ['places', number((value) => `${formatCount(value)} per key`)],
  valueBits: ['value', number((value) => pluralize(value, 'bit'))],
  checkBits: ['check', number((value) => pluralize(value, 'bit'))],
  loadFactor: ['places taken', number(formatPercent)],
  differences: ['differences', number((value) => `room for ${formatCount(value)}`)],
  keyBytes: ['key', number((value) => pluralize(value, 'byte'))],
  scheme: ['scheme', String],
  hash: ['hash', String],
  seed: ['seed', String],
  sha256: ['sha256', String],
};

/** Labels for lists of URLs, which have entries, and for deltas, which change them. */
const knownOfLists: typeof known = {
  ...known,
  count: ['entries', number(formatCount)],
  fpr: ['false positives', number((value) => `${formatRate(value)} of expressions`)],
};

/** Labels for files without the number of keys. */
const knownOfEstimates: typeof known = {
  count: ['keys', number((value) => `${formatCount(value)}, as the bits say`)],
};

/** Labels for filters whose capacity nobody chose. */
const knownOfUnsized: typeof known = {
  capacity: ['capacity', number((value) => `${pluralize(value, 'key')} set half of the bits`)],
  fpr: ['false positives', number((value) => `${formatRate(value)}, at the capacity`)],
};

/** Labels for a bit array, which has no keys. */
const knownOfBits: typeof known = { ...known, count: ['bits set', number(formatCount)] };

/** True for structures that look up keys. */
export const isAskable = (structure: Structure): structure is Structure & Pick<Filter, 'hasMany'> =>
  // A bit array and an invertible table have `has` only to refuse keys.
  'hasMany' in structure && !['bit-array', 'iblt'].includes(structure.type);

const isFilter = (structure: Structure): structure is Filter => 'estimatedFpr' in structure;

/** Figures that a list of URLs lacks in its own toJSON. */
const urlFigures = ({ count, prefixBytes, sha256 }: UrlList) => ({
  fpr: count / 2 ** (8 * prefixBytes),
  sha256: Buffer.from(sha256).toString('hex'),
});

/** The figures for `--json`: those of the structure, its fill, and the size of its file. */
function figuresOf(structure: Structure, fileBytes: number): Record<string, unknown> {
  return {
    ...(structure.toJSON() as Record<string, unknown>),
    ...(structure instanceof BloomFilter && { fillRatio: structure.fillRatio }),
    ...(structure instanceof UrlList && urlFigures(structure)),
    fileBytes,
  };
}

/** The figures for people: the known ones first, with units, then any others. */
function rowsOf(
  structure: Structure,
  figures: Readonly<Record<string, unknown>>,
  isUnsized: boolean,
): Row[] {
  const isOfUrls = structure instanceof UrlList || structure instanceof UrlDelta;
  const ofKeys: typeof known = {
    ...known,
    ...(isUnsized && knownOfUnsized),
    ...(figures.countIsEstimate === true && knownOfEstimates),
  };
  const labels = structure instanceof BitArray ? knownOfBits : isOfUrls ? knownOfLists : ofKeys;
  const rows = Object.entries(labels)
    .filter(([name]) => name in figures)
    .map(([name, [label, show]]) => [label, show(figures[name])] as const);
  const others = Object.entries(figures)
    .filter(([name]) => !(name in labels) && name !== 'countIsEstimate')
    .map(([name, value]) => [name, String(value)] as const);
  return [...rows, ...others];
}

/** The number of keys that a filter as a whole is made for; `capacity` may be that of one part. */
function roomOf(structure: Filter): number {
  if (structure instanceof RotatingBloomFilter) return structure.capacity * structure.generations;
  return structure instanceof ScalableBloomFilter ? Number.POSITIVE_INFINITY : structure.capacity;
}

/**
 * True if the capacity was computed from the geometry, where half of the bits are set. Files of other programs do not
 * contain their capacity, and neither do tamis files converted from them.
 */
function isUnsized(structure: Structure, isForeign: boolean): boolean {
  const isBlocks = structure instanceof BlockedBloomFilter;
  if (!isBlocks && !(structure instanceof BloomFilter)) return false;
  if (isForeign) return true;
  if (structure.scheme === 'mcg' || structure.scheme === 'default') return false;
  const { bits, hashes } = isBlocks ? { bits: 8 * structure.sizeBytes, hashes: 8 } : structure;
  return structure.capacity === Math.max(1, Math.floor((bits * Math.LN2) / hashes));
}

/**
 * A warning if a filter has more false positives than designed; else undefined. Up to its capacity the present rate
 * varies around the designed one, widely in a small filter. There, and if nobody chose the capacity, only a rate
 * beyond all chance counts.
 */
function overfullWarning(structure: Structure, isUnsized: boolean): string | undefined {
  if (!isFilter(structure)) return undefined;
  const { estimatedFpr, fpr, count } = structure;
  const room = roomOf(structure);
  const overfull = count > room && !isUnsized ? estimatedFpr > fpr : estimatedFpr ** 2 > fpr;
  if (!overfull) return undefined;
  return (
    `overfull: false positives ${formatPercent(estimatedFpr)}, ` +
    `designed for ${formatPercent(fpr)}; ` +
    `it holds ${formatCount(count)} keys of ${formatCount(room)}: rebuild it larger`
  );
}

interface Report {
  readonly json: boolean;
  readonly fileBytes: number;
  /** The heading above the figures. */
  readonly heading: string;
  /** Further members for --json. */
  readonly more?: object | undefined;
  /** The file to name in a warning if the structure is overfull; --json then has a member for it. */
  readonly path?: string;
  /** Set if another program made the filter, or reads it. */
  readonly foreign?: Foreign | undefined;
}

export interface Foreign {
  /** The format of the file. */
  readonly format: string;
  /** True if another program made the filter. */
  readonly isMade: boolean;
  /** True if `count` is estimated from the bits. */
  readonly isEstimate: boolean;
}

/** Writes a structure, or the given `bytes` of it, to a file, prints its figures, and disposes it. */
export async function writeAndReport(
  structure: Structure,
  output: string,
  own: Omit<Report, 'fileBytes'>,
  terminal: Terminal,
  bytes: Uint8Array = structure.toBytes(),
): Promise<void> {
  await writeOutput(output, bytes);
  await report(structure, { ...own, fileBytes: bytes.length }, terminal);
  structure.dispose();
}

/** Prints the figures of a structure, as JSON or for people. */
export async function report(
  structure: Structure,
  { json, fileBytes, heading, more, path, foreign }: Report,
  terminal: Terminal,
): Promise<void> {
  const ofFormat = foreign && { format: foreign.format, countIsEstimate: foreign.isEstimate };
  const figures = { ...ofFormat, ...figuresOf(structure, fileBytes) };
  const unsized = isUnsized(structure, foreign?.isMade ?? false);
  const warning = path === undefined ? undefined : overfullWarning(structure, unsized);
  const overfull = path === undefined ? {} : { overfull: warning !== undefined };
  const rows = rowsOf(structure, figures, unsized);
  await terminal.printFigures(json, { ...figures, ...overfull, ...more }, heading, rows);
  if (warning) terminal.warn(path as string, warning);
}
