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
import { writeAtomically } from '../files/files.js';
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

/** How a figure that `toJSON` gives is called and shown, in the order of showing. */
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

/** Lists of URLs have entries, and deltas the change of these. */
const knownOfLists: typeof known = {
  ...known,
  count: ['entries', number(formatCount)],
  fpr: ['false positives', number((value) => `${formatRate(value)} of expressions`)],
};

/** Where the file does not say how many keys are in it. */
const knownOfEstimates: typeof known = {
  count: ['keys', number((value) => `${formatCount(value)}, as the bits say`)],
};

/** Where nobody chose the capacity. */
const knownOfUnsized: typeof known = {
  capacity: ['capacity', number((value) => `${pluralize(value, 'key')} set half of the bits`)],
  fpr: ['false positives', number((value) => `${formatRate(value)}, at the capacity`)],
};

/** A bit array has no keys. */
const knownOfBits: typeof known = { ...known, count: ['bits set', number(formatCount)] };

/** True for what has keys and answers about them. */
export const isAskable = (structure: Structure): structure is Structure & Pick<Filter, 'hasMany'> =>
  // A bit array and a table have it to refuse keys.
  'hasMany' in structure && !['bit-array', 'iblt'].includes(structure.type);

const isFilter = (structure: Structure): structure is Filter => 'estimatedFpr' in structure;

/** What a list of URLs does not say of itself. */
const urlFigures = ({ count, prefixBytes, sha256 }: UrlList) => ({
  fpr: count / 2 ** (8 * prefixBytes),
  sha256: Buffer.from(sha256).toString('hex'),
});

/** What `--json` prints of a structure: its own figures, how full it is, the size of its file. */
function figuresOf(structure: Structure, fileBytes: number): Record<string, unknown> {
  return {
    ...(structure.toJSON() as Record<string, unknown>),
    ...(structure instanceof BloomFilter && { fillRatio: structure.fillRatio }),
    ...(structure instanceof UrlList && urlFigures(structure)),
    fileBytes,
  };
}

/** The same figures for people: the known ones first, with their units, then any others. */
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

/** The keys that a filter as a whole is made for, of which `capacity` may be one part's. */
function roomOf(structure: Filter): number {
  if (structure instanceof RotatingBloomFilter) return structure.capacity * structure.generations;
  return structure instanceof ScalableBloomFilter ? Number.POSITIVE_INFINITY : structure.capacity;
}

/**
 * Whether the capacity is that of the geometry, at which half of the bits are set. Files of other programs do not say
 * for how many keys they are, and nor do those of tamis that come from them.
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
 * A sentence if a filter has more false positives than it was designed for, else undefined. Up to its capacity the
 * present rate scatters around the designed one, in a small filter by far. There only a rate beyond all chance
 * counts. It is so beyond the capacity too, where nobody chose that.
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
  /** What people read above the figures. */
  readonly heading: string;
  /** What --json prints beside them. */
  readonly more?: object | undefined;
  /** The file to name in a warning where the structure is overfull; --json then says whether it is. */
  readonly path?: string;
  /** Where another program made the filter, or reads it. */
  readonly foreign?: Foreign | undefined;
}

export interface Foreign {
  /** The format of the file. */
  readonly format: string;
  /** Whether another program made the filter. */
  readonly isMade: boolean;
  /** Whether `count` is what the bits say. */
  readonly isEstimate: boolean;
}

/** Writes a structure to a file, or the `bytes` that it has there; prints its figures, and disposes of it. */
export async function writeAndReport(
  structure: Structure,
  output: string,
  own: Omit<Report, 'fileBytes'>,
  terminal: Terminal,
  bytes: Uint8Array = structure.toBytes(),
): Promise<void> {
  await writeAtomically(output, bytes);
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
