// The types that a dropped file can become.
import { BinaryFuseFilter, type Filter, fromBytes, RibbonFilter } from 'tamis';
import { demoFilters } from '../filters';

export interface DropType {
  readonly type: string;
  readonly className: string;
  build(keys: readonly string[], fpr: number): Filter;
}

const ofKeys: readonly DropType[] = demoFilters
  .filter(({ type }) => !['tombstone-bloom', 'rotating-bloom'].includes(type))
  .map(({ type, className, create }) => ({
    type,
    className,
    build(keys, fpr) {
      const filter = create({ capacity: Math.max(1, keys.length), fpr });
      filter.addMany(keys);
      return filter;
    },
  }));

/** The smallest type comes first, because the list will be shipped. */
export const dropTypes: readonly DropType[] = [
  {
    type: 'ribbon',
    className: 'RibbonFilter',
    build: (keys, fpr) => RibbonFilter.from(keys, { fpr }),
  },
  {
    type: 'binary-fuse',
    className: 'BinaryFuseFilter',
    build: (keys, fpr) => BinaryFuseFilter.from(keys, { fpr }),
  },
  ...ofKeys,
];

export function dropType(type: string): DropType {
  const found = dropTypes.find((entry) => entry.type === type);
  if (!found) throw new Error(`the demo builds no '${type}' of a file`);
  return found;
}

/** The filter that the worker built from a file, loaded as any page would load it. */
export function loadDropped(bytes: Uint8Array): Filter {
  const loaded = fromBytes(bytes);
  dropType(loaded.type);
  return loaded as Filter;
}
