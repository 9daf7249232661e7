// The types that a dropped file can become.
import { type Filter, fromBytes } from 'tamis';
import { demoFilters } from '../filters';
import { onceTypes } from '../once-types';

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

const ofList: readonly DropType[] = onceTypes
  .filter(({ type }) => ['ribbon', 'binary-fuse'].includes(type))
  .map(({ type, className, build }) => ({
    type,
    className,
    build: (keys, fpr) => build({ keys, others: [] }, fpr) as Filter,
  }));

/** The smallest type comes first, because the list will be shipped. */
export const dropTypes: readonly DropType[] = [...ofList, ...ofKeys];

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
