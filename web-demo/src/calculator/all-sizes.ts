// The bytes of every type for a number of keys at a rate, as each class's own sizeFor computes them.
import {
  BinaryFuseFilter,
  BitArray,
  BloomierMap,
  ExactFilter,
  InvertibleBloomTable,
  RibbonFilter,
} from 'tamis';
import { demoFilters } from '../filters';
import { checkBitsFor } from '../once-types';

interface Needs {
  readonly capacity: number;
  readonly fpr: number;
}

interface SizedType {
  readonly className: string;
  readonly note: string;
  /** The type answers another question, so its bytes cannot be compared with those of the others. */
  readonly isOther?: boolean;
  size(needs: Needs): number;
}

export interface SizeRow {
  readonly className: string;
  readonly note: string;
  readonly isOther: boolean;
  /** undefined: the type does not reach that size or that rate. */
  readonly bytes: number | undefined;
}

interface SizedClass {
  sizeFor(needs: Needs): number;
}

const sized = (className: string, Type: SizedClass, note: string): SizedType => ({
  className,
  note,
  size: (needs) => Type.sizeFor(needs),
});

const VALUE_BITS = 8;
const KEY_BYTES = 16;

const types: readonly SizedType[] = [
  sized('RibbonFilter', RibbonFilter, 'a fixed list'),
  sized('BinaryFuseFilter', BinaryFuseFilter, 'a fixed list, fast look-ups'),
  ...demoFilters.map(({ className, can, size }) => ({ className, note: can, size })),
  {
    className: 'ExactFilter',
    note: 'a fixed list, and as many keys to exclude',
    size: ({ capacity, fpr }) => ExactFilter.sizeFor({ capacity, excluded: capacity, fpr }),
  },
  {
    className: 'BloomierMap',
    note: `a fixed list, with ${VALUE_BITS} bits for each key`,
    size({ capacity, fpr }) {
      const checkBits = checkBitsFor(fpr);
      return BloomierMap.sizeFor({ capacity, valueBits: VALUE_BITS, checkBits });
    },
  },
  {
    className: 'InvertibleBloomTable',
    isOther: true,
    note: `two sets that differ in that many keys of ${KEY_BYTES} bytes`,
    size: ({ capacity }) =>
      InvertibleBloomTable.sizeFor({ differences: capacity, keyBytes: KEY_BYTES }),
  },
  {
    className: 'BitArray',
    isOther: true,
    note: 'that many numbered elements, exact',
    size: ({ capacity }) => BitArray.sizeFor(capacity),
  },
];

/** One row for each type, the smallest first. Types that cannot do it come last. */
export function allSizes(needs: Needs): SizeRow[] {
  const rows = types.map(({ className, note, isOther = false, size }): SizeRow => {
    try {
      return { className, note, isOther, bytes: size(needs) };
    } catch (error) {
      const { code } = error as { code?: string };
      if (!(error instanceof RangeError) && code !== 'ERR_TAMIS_TOO_LARGE') throw error;
      return { className, note, isOther, bytes: undefined };
    }
  });
  return rows.sort((a, b) => (a.bytes ?? Infinity) - (b.bytes ?? Infinity));
}
