// Who takes part in the second part: every filter of tamis that changes, and what npm's bloom-filters
// has of the same name. A module is imported only in the child process that measures it.

export const FPR = 0.01;

/** How many times fewer keys than come the first layer of a growing filter is made for. */
const GROWTH = 10;

/** @typedef {object} Contender
 * @property {'filter' | 'pair' | 'large' | 'sketch'} part the table it stands in
 * @property {'tamis' | 'bloom-filters'} module
 * @property {string} type name of the class
 * @property {string} [note] what the tables say beside the class
 * @property {object} [options] beside the capacity; default: the rate
 * @property {number} share part of the keys that it gets
 * @property {number} [growsFrom] what the capacity is divided by
 */

const filter = (type, more = {}) => ({ part: 'filter', module: 'tamis', type, share: 1, ...more });

const FILTERS = {
  bloom: filter('BloomFilter'),
  'blocked-bloom': filter('BlockedBloomFilter'),
  'counting-bloom': filter('CountingBloomFilter', { note: '4-bit' }),
  'd-left-counting': filter('DLeftCountingFilter'),
  cuckoo: filter('CuckooFilter'),
  'cuckoo-12': filter('CuckooFilter', {
    note: '12-bit',
    options: { fingerprintBits: 12 },
  }),
  'deletable-bloom': filter('DeletableBloomFilter'),
  'tombstone-bloom': filter('TombstoneBloomFilter'),
  'scalable-bloom': filter('ScalableBloomFilter'),
  'scalable-grown': filter('ScalableBloomFilter', {
    note: 'grown from a hundredth',
    growsFrom: 100,
  }),
  'rotating-bloom': filter('RotatingBloomFilter', {
    note: '2 full generations',
  }),
};

/**
 * The classes that both packages have, the factor between tamis and bloom-filters in each. Adding to
 * the scalable filter of bloom-filters counts the bits of its layer, so it gets a tenth of the others'.
 */
export const PAIRS = {
  counting: { type: 'CountingBloomFilter', share: 0.1 },
  cuckoo: { type: 'CuckooFilter', share: 0.1 },
  scalable: { type: 'ScalableBloomFilter', share: 0.01, growsFrom: GROWTH },
};

const pairs = Object.entries(PAIRS).flatMap(([name, pair]) =>
  ['tamis', 'bloom-filters'].map((module) => [
    `${name}@${module}`,
    { part: 'pair', module, ...pair },
  ]),
);

export const DYNAMIC = {
  ...FILTERS,
  iblt: { part: 'sketch', module: 'tamis', type: 'InvertibleBloomTable', share: 0.1 },
  'bloom@large': filter('BloomFilter', { part: 'large', share: 10 }),
  'blocked-bloom@large': filter('BlockedBloomFilter', { part: 'large', share: 10 }),
  ...Object.fromEntries(pairs),
};

export const labelOf = ({ type, note }) => `\`${type}\`${note === undefined ? '' : `, ${note}`}`;

const LOADERS = {
  async tamis({ type, options = { fpr: FPR }, growsFrom = 1 }) {
    const { [type]: Class } = await import('tamis');
    return {
      create: (keys) => new Class({ capacity: keys / growsFrom, ...options }),
      add: (filter, key) => filter.add(key),
      has: (filter, key) => filter.has(key),
      remove: Class.prototype.delete && ((filter, key) => filter.delete(key)),
      designedRate: (filter) => filter.fpr,
    };
  },

  async 'bloom-filters'({ type, growsFrom = 1 }) {
    const { default: package_ } = await import('bloom-filters');
    return {
      create: (keys) => package_[type].create(keys / growsFrom, FPR),
      add: (filter, key) => filter.add(key),
      has: (filter, key) => filter.has(key),
      designedRate: () => FPR,
    };
  },
};

export const loadDynamic = (name) => LOADERS[DYNAMIC[name].module](DYNAMIC[name]);
