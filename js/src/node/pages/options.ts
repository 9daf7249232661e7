import { PageBuilder, type PageShape, pageTypes } from '../../pages/steps.js';
import {
  checkTypeOptions,
  countOption,
  countReader,
  hashingOptions,
  rateOption,
  readSecret,
  type TypeOption,
  wordOption,
} from '../frame/arguments.js';
import { dropUndefined, type Option, type ValuesOf } from '../frame/command.js';
import { orUsageError, UsageError } from '../frame/errors.js';

export const pagesOption = {
  ...countOption('the number of pages, at most 2^31: about one for each 12,000 distinct keys'),
  read: countReader('1 to 2^31 pages', 1, 2 ** 31),
} as const satisfies Option;

/** Reads a name with which file names can begin. */
export function readSetName(text: string, option: string): string {
  if (/^[\w-][\w.-]{0,63}$/.test(text)) return text;
  const expected = '1 to 64 letters, digits, - _ and ., of which the first is no dot';
  throw new UsageError(`${option} ${text}: expected ${expected}`);
}

export const nameOption = {
  value: 'NAME',
  help: 'the name of the list, which clients pass too; the names of its files begin with it; needed',
  // Without a default, because clients tell lists apart by the name.
  required: true,
  read: readSetName,
} as const satisfies Option;

export const typeOption = {
  ...wordOption('TYPE', pageTypes, 'the type of each page'),
  default: 'ribbon',
} as const satisfies Option;

/** The options that change the content of a page, each with the types that have it. */
export const shapeOptions = {
  'fingerprint-bits': {
    ...countOption('ribbon, binary-fuse: bits of a fingerprint (default 8)'),
    types: ['ribbon', 'binary-fuse'],
  },
  arity: { ...countOption('binary-fuse: slots per key, 3 or 4'), types: ['binary-fuse'] },
  fpr: {
    ...rateOption('exact: the rate of false positives outside both lists'),
    types: ['exact'],
  },
  'value-bits': { ...countOption('bloomier: bits of a value; needed'), types: ['bloomier'] },
  'check-bits': {
    ...countOption('bloomier: bits that detect keys outside the map (default 8)'),
    types: ['bloomier'],
  },
} as const satisfies Readonly<Record<string, TypeOption>>;

/** The option for the second list of an exact filter. */
export const excludeOption = {
  value: 'LIST2',
  help: 'exact: a list of keys that are certainly absent',
  types: ['exact'],
} as const satisfies TypeOption;

const builderOptions = { type: typeOption, ...shapeOptions, ...hashingOptions };

/** Reads the shape of pages from the options, and makes their builder. Throws if an option does not fit the type. */
export async function readShape(
  values: ValuesOf<typeof builderOptions>,
): Promise<{ shape: PageShape; builder: PageBuilder }> {
  const { type, seed } = values;
  checkTypeOptions(shapeOptions, type, values);
  const secret = await readSecret(values['secret-file']);
  const shape: PageShape = dropUndefined({
    seed,
    secret,
    fingerprintBits: values['fingerprint-bits'],
    arity: values.arity,
    fpr: values.fpr,
    valueBits: values['value-bits'],
    checkBits: values['check-bits'],
  });
  return { shape, builder: orUsageError(() => new PageBuilder(type, shape)) };
}
