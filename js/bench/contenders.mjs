// Who takes part. One object each: how it is made, filled, asked, stored and loaded at 1 %.
// A module is imported only in the child process that measures it.

const FPR = 0.01;

/** @typedef {object} Contender
 * @property {string | null} module name of the npm package; null for what the engine has
 * @property {string} label name in the tables
 * @property {number} share part of the keys that it gets: 1, or less for the slow
 * @property {number} repeats how often a round stores and loads it
 */

export const CONTENDERS = {
  tamis: { module: 'tamis', label: 'tamis', share: 1, repeats: 20 },
  set: { module: null, label: 'JS `Set`', share: 1, repeats: 1 },
  bloomfilter: { module: 'bloomfilter', label: '`bloomfilter`', share: 1, repeats: 5 },
  'bloom-filters': { module: 'bloom-filters', label: '`bloom-filters`', share: 0.1, repeats: 5 },
};

const LOADERS = {
  async tamis() {
    const { BloomFilter } = await import('tamis');
    return {
      create: (capacity) => new BloomFilter({ capacity, fpr: FPR }),
      add: (filter, key) => filter.add(key),
      has: (filter, key) => filter.has(key),
      store: (filter) => filter.toBytes(),
      load: (bytes) => BloomFilter.fromBytes(bytes),
      release: (filter) => filter.dispose(),
      designedRate: (filter) => filter.fpr,
    };
  },

  async set() {
    return {
      create: () => new Set(),
      add: (set, key) => set.add(key),
      has: (set, key) => set.has(key),
      store: (set) => JSON.stringify([...set]),
      load: (text) => new Set(JSON.parse(text)),
      release: () => {},
      designedRate: () => 0,
    };
  },

  async bloomfilter() {
    const { BloomFilter } = await import('bloomfilter');
    return {
      create: (capacity) => BloomFilter.withTargetError(capacity, FPR),
      add: (filter, key) => filter.add(key),
      has: (filter, key) => filter.test(key),
      store: (filter) => JSON.stringify(filter.toJSON()),
      load: (text) => BloomFilter.fromJSON(text),
      release: () => {},
      designedRate: () => FPR,
    };
  },

  async 'bloom-filters'() {
    const { default: package_ } = await import('bloom-filters');
    const { BloomFilter } = package_;
    return {
      create: (capacity) => BloomFilter.create(capacity, FPR),
      add: (filter, key) => filter.add(key),
      has: (filter, key) => filter.has(key),
      store: (filter) => JSON.stringify(filter.saveAsJSON()),
      load: (text) => BloomFilter.fromJSON(JSON.parse(text)),
      release: () => {},
      designedRate: () => FPR,
    };
  },
};

export const loadContender = (name) => LOADERS[name]();
