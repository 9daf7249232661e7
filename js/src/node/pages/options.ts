// The options that the commands of pages share.

import { PageBuilder, type PageShape, type PageType, pageTypes } from '../../pages/steps.js';
import {
  countOption,
  hashingOptions,
  rateOption,
  readCount,
  readSipKey,
  wordOption,
} from '../frame/arguments.js';
import { dropUndefined, type Option, type Options, type ValuesOf } from '../frame/command.js';
import { UsageError, withOptions } from '../frame/errors.js';

export const pagesOption = {
  ...countOption('the number of pages, at most 2^31: about one for each 12,000 distinct keys'),
  read(text: string, option: string): number {
    const pages = readCount(text, option);
    if (pages >= 1 && pages <= 2 ** 31) return pages;
    throw new UsageError(`${option} ${text}: expected 1 to 2^31 pages`);
  },
} as const satisfies Option;

/** Reads a word that file names can begin with. */
export function readSetName(text: string, option: string): string {
  if (/^[\w-][\w.-]{0,63}$/.test(text)) return text;
  const expected = '1 to 64 letters, digits, - _ and ., of which the first is no dot';
  throw new UsageError(`${option} ${text}: expected ${expected}`);
}

export const nameOption = {
  value: 'NAME',
  help: 'the name of the list, with which the names of its files begin, and which clients give too; needed',
  read: readSetName,
} as const satisfies Option;

/** Reads the name. It has no default, since clients tell lists apart by it. */
export function requireName(command: string, name: string | undefined): string {
  if (name !== undefined) return name;
  throw new UsageError(`${command}: expected --name NAME, by which clients tell lists apart`);
}

export const typeOption = {
  ...wordOption('TYPE', pageTypes, 'the type of each page'),
  default: 'ribbon',
} as const satisfies Option;

/** The options that decide the content of a page. */
export const shapeOptions = {
  'fingerprint-bits': countOption('ribbon, binary-fuse: bits of a fingerprint (default 8)'),
  arity: countOption('binary-fuse: places of a key, 3 or 4'),
  fpr: rateOption('exact: the rate of false positives outside both lists'),
  'value-bits': countOption('bloomier: bits of a value; needed'),
  'check-bits': countOption('bloomier: bits that tell a key of the map from another (default 8)'),
} as const satisfies Options;

/** The options of each type, by their names on the command line. */
const ofTypes: Readonly<Record<PageType, readonly (keyof typeof shapeOptions)[]>> = {
  ribbon: ['fingerprint-bits'],
  'binary-fuse': ['fingerprint-bits', 'arity'],
  exact: ['fpr'],
  bloomier: ['value-bits', 'check-bits'],
};

const builderOptions = { type: typeOption, ...shapeOptions, ...hashingOptions };

/** Makes the page builder from the options. Throws if an option does not fit the type. */
export async function readShape(
  values: ValuesOf<typeof builderOptions>,
): Promise<{ shape: PageShape; builder: PageBuilder }> {
  const { type, seed } = values;
  for (const name of Object.keys(shapeOptions) as (keyof typeof shapeOptions)[]) {
    if (values[name] === undefined || ofTypes[type].includes(name)) continue;
    const types = pageTypes.filter((one) => ofTypes[one].includes(name));
    throw new UsageError(`--${name}: an option of --type ${types.join(', ')}, not of ${type}`);
  }
  const key = await readSipKey(values['key-file']);
  const shape: PageShape = dropUndefined({
    seed,
    key,
    hash: key && ('keyed' as const),
    fingerprintBits: values['fingerprint-bits'],
    arity: values.arity,
    fpr: values.fpr,
    valueBits: values['value-bits'],
    checkBits: values['check-bits'],
  });
  return { shape, builder: withOptions(() => new PageBuilder(type, shape)) };
}
