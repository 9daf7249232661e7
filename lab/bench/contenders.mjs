// The contenders of each part of the bench, and functions to use them. Runs in Node and in pages.

/** The rate of filters that can change. Filters that are built once have 8-bit fingerprints, whose rate comes next. */
export const FPR = 0.01;
const BUILT_FPR = 2 ** -8;
/** The size of a file without its payload. */
export const HEADER_BYTES = 64;

/**
 * A contender has the `module` of a class and its `type`; a class of the engine has no module. round.mjs measures it
 * according to `kind`, and `table` is the table that shows it, with `note` after the class. It gets a `share` of the
 * keys; above 1 they are random hashes. `options` are passed to the class, and `growsFrom` divides its capacity.
 * `repeats` is how often a round stores and loads it, and `most` is the largest number of its rounds.
 */

const tamis = (type, more = {}) => ({ module: 'tamis', type, kind: 'grown', ...more });
const grown = (type, more) => tamis(type, { options: { fpr: FPR }, ...more });
const built = (type, note, options) => tamis(type, { kind: 'built', note, options });
const BLOOM = built('BloomFilter', undefined, { fpr: BUILT_FPR });
const FUSE = built('BinaryFuseFilter', '8 bits, arity 4', { fingerprintBits: 8, arity: 4 });
const RIBBON = built('RibbonFilter', '8 bits', { fingerprintBits: 8 });
/** Ten times as many keys, as random hashes. Such a filter does not fit into most caches. */
const large = { kind: 'hashed', table: 'large', share: 10 };

/** tamis and bloom-filters, with classes of the same kind. bloom-filters takes 10 microseconds or more per key. */
const pair = (type, more) =>
  ['tamis', 'bloom-filters'].map((module) => [
    `${type}@${module}`,
    { ...grown(type, { share: 0.1, table: 'pair', most: 3, ...more }), module },
  ]);

export const CONTENDERS = {
  comparison: {
    tamis: grown('BloomFilter', { repeats: 20 }),
    set: { kind: 'grown', type: 'Set', repeats: 1 },
    bloomfilter: { kind: 'grown', module: 'bloomfilter', type: 'BloomFilter', repeats: 5 },
    'bloom-filters': {
      kind: 'grown',
      module: 'bloom-filters',
      type: 'BloomFilter',
      share: 0.1,
      repeats: 5,
    },
  },
  dynamic: {
    bloom: grown('BloomFilter'),
    'blocked-bloom': grown('BlockedBloomFilter'),
    'counting-bloom': grown('CountingBloomFilter', { note: '4-bit' }),
    'd-left-counting': grown('DLeftCountingFilter'),
    cuckoo: grown('CuckooFilter'),
    'cuckoo-12': tamis('CuckooFilter', { note: '12-bit', options: { fingerprintBits: 12 } }),
    'deletable-bloom': grown('DeletableBloomFilter'),
    'tombstone-bloom': grown('TombstoneBloomFilter'),
    'scalable-bloom': grown('ScalableBloomFilter'),
    'scalable-grown': grown('ScalableBloomFilter', {
      note: 'made for a hundredth of its keys',
      growsFrom: 100,
    }),
    'rotating-bloom': grown('RotatingBloomFilter', { note: '2 full generations' }),
    'bloom@large': grown('BloomFilter', large),
    'blocked-bloom@large': grown('BlockedBloomFilter', large),
    ...Object.fromEntries([
      ...pair('CountingBloomFilter'),
      ...pair('CuckooFilter'),
      // `add` of bloom-filters counts the bits of a layer each time, so both get a tenth of the keys that others get.
      ...pair('ScalableBloomFilter', { share: 0.01, growsFrom: 10 }),
    ]),
    iblt: tamis('InvertibleBloomTable', { kind: 'sketch', table: 'sketch', share: 0.1 }),
  },
  static: {
    bloom: BLOOM,
    fuse8: FUSE,
    'fuse8-3': built('BinaryFuseFilter', '8 bits, arity 3', { fingerprintBits: 8, arity: 3 }),
    ribbon8: RIBBON,
    ribbon16: built('RibbonFilter', '16 bits', { fingerprintBits: 16 }),
    peer: {
      module: 'binary-fuse-filter',
      type: 'BinaryFuse8',
      note: 'arity 3',
      kind: 'built',
      most: 3,
    },
    bloomier: built('BloomierMap', 'values of 8 bits', { valueBits: 8, checkBits: 8 }),
    exact: built('ExactFilter'),
    'bloom@large': { ...BLOOM, ...large, most: 3 },
    'fuse8@large': { ...FUSE, ...large, most: 3 },
    'ribbon8@large': { ...RIBBON, ...large, most: 3 },
    'exact@universe': tamis('ExactFilter', {
      kind: 'universe',
      table: 'universe',
      most: 3,
      times: 99,
    }),
  },
  url: {
    tamis: { kind: 'url', module: 'tamis/url', type: 'UrlList' },
    checker: { kind: 'url', module: 'tamis/url', type: 'UrlChecker', lists: 1 },
    guard: { kind: 'url', module: 'tamis/url', type: 'UrlGuard', lists: 1 },
    guards: { kind: 'url', module: 'tamis/url', type: 'UrlGuard', lists: 8 },
    set: { kind: 'url', type: 'Set' },
    detector: { kind: 'url', module: 'eth-phishing-detect/src/detector.js', share: 200 },
  },
};

/** The contenders that cpp/bench does not have, by their notes. */
const NOT_NATIVE = ['12-bit', 'made for a hundredth of its keys', '2 full generations'];
const hashed = (own) => ({ ...own, kind: 'hashed' });
/** The contenders in WebAssembly that are compared with C++, by their names in cpp/bench. */
CONTENDERS.native = {
  'binary-fuse/8-bit/4-wise': hashed(FUSE),
  'binary-fuse/8-bit/3-wise': hashed(CONTENDERS.static['fuse8-3']),
  'ribbon/8-bit': hashed(RIBBON),
  'ribbon/16-bit': hashed(CONTENDERS.static.ribbon16),
  exact: tamis('ExactFilter', { kind: 'universe', times: 9 }),
  ...Object.fromEntries(
    Object.entries(CONTENDERS.dynamic)
      .filter(([, { table, note }]) => table === undefined && !NOT_NATIVE.includes(note))
      .map(([name, own]) => [name, hashed(own)]),
  ),
};

/** The name in the results for the C++ version of a contender, or of a string hash. */
export const inCpp = (name) => `${name}, C++`;
export const HASH = 'xxh3, 54 bytes';

export const packageOf = ({ module = '' }) => module.split('/')[0];

/** The contenders for strings in each engine: those of the comparison, and the reader of tamis. */
CONTENDERS.browsers = {
  ...CONTENDERS.comparison,
  'tamis/read': grown('BloomFilter', { module: 'tamis/read' }),
};

/** The contenders of a part that are in one of its tables. */
export const inTable = (part, wanted) =>
  Object.keys(CONTENDERS[part]).filter((name) => CONTENDERS[part][name].table === wanted);

export const labelOf = ({ module, type, note }) =>
  `\`${type}\`${module === 'tamis' ? '' : ` of ${module}`}${note === undefined ? '' : `, ${note}`}`;

/** For each module, the functions of its contenders. They are made from the module, the contender, and tamis. */
const ADAPTERS = {
  tamis(module, { type, options, growsFrom = 1 }) {
    const { hashKeys, keysFromLines, [type]: Class } = module;
    const create = (keys) => new Class({ capacity: keys / growsFrom, ...options });
    const isMap = type === 'BloomierMap';
    const addHashes = (hashes) => {
      const made = create(hashes.length);
      made.addHashes(hashes);
      return made;
    };
    return {
      Class,
      hashKeys,
      keysFromLines,
      create,
      add: (made, key) => made.add(key),
      has: isMap ? (made, key) => made.get(key) !== undefined : (made, key) => made.has(key),
      remove: Class.prototype.delete && ((made, key) => made.delete(key)),
      from: (keys) => Class.from(keys, options),
      fromHashes: Class.fromHashes
        ? (hashes) => Class.fromHashes(hashes, options)
        : Class.prototype.addHashes && addHashes,
      hasMany: isMap
        ? (made, keys) => made.getMany(keys).found
        : (made, keys) => made.hasMany(keys),
      hasHashes: Class.prototype.hasHashes && ((made, hashes) => made.hasHashes(hashes)),
      store: (made) => made.toBytes(),
      load: (bytes) => Class.fromBytes(bytes),
      release: (made) => made.dispose(),
      // An ExactFilter never finds an excluded key.
      designedRate: (made) =>
        isMap ? 2 ** -made.checkBits : type === 'ExactFilter' ? 0 : made.fpr,
    };
  },

  /** Looks up keys in filters that tamis built. `open` turns a full filter into a reader. */
  'tamis/read'(module, own, tamis) {
    const { create, add, store, release } = ADAPTERS.tamis(tamis, own);
    const { has, hasMany, load } = ADAPTERS.tamis(module, own);
    const open = (made) => {
      const reader = load(store(made));
      release(made);
      return reader;
    };
    return { create, add, open, has, hasMany, release };
  },

  engine: () => ({
    create: () => new Set(),
    add: (set, key) => set.add(key),
    has: (set, key) => set.has(key),
    from: (keys) => new Set(keys),
    store: (set) => JSON.stringify([...set]),
    load: (text) => new Set(JSON.parse(text)),
    release: () => {},
    designedRate: () => 0,
  }),

  bloomfilter: ({ BloomFilter }) => ({
    create: (capacity) => BloomFilter.withTargetError(capacity, FPR),
    add: (filter, key) => filter.add(key),
    has: (filter, key) => filter.test(key),
    store: (filter) => JSON.stringify(filter.toJSON()),
    load: (text) => BloomFilter.fromJSON(text),
    release: () => {},
    designedRate: () => FPR,
  }),

  'bloom-filters'({ default: exported }, { type, growsFrom = 1 }) {
    // A bundle for pages contains a single class, as its default export.
    const Class = exported[type] ?? exported.default ?? exported;
    return {
      create: (capacity) => Class.create(capacity / growsFrom, FPR),
      add: (filter, key) => filter.add(key),
      has: (filter, key) => filter.has(key),
      store: (filter) => JSON.stringify(filter.saveAsJSON()),
      load: (text) => Class.fromJSON(JSON.parse(text)),
      release: () => {},
      designedRate: () => FPR,
    };
  },

  /** This package accepts 64-bit numbers and hashes nothing. tamis hashes the keys, faster than any npm package. */
  'binary-fuse-filter'({ default: package_ }, _own, { hashKey, hashKeys, keysFromLines }) {
    const fromHashes = (hashes) => {
      const [made, error] = package_.populateBinaryFuse8(hashes);
      if (error) throw error;
      return made;
    };
    return {
      hashKeys,
      keysFromLines,
      from: (keys) => fromHashes(hashKeys(keys)),
      fromHashes,
      has: (made, key) => made.contains(hashKey(key)),
      hasHashes: (made, hashes) => Uint8Array.from(hashes, (hash) => made.contains(hash)),
      store: (made) => made.makeJSON(),
      load(text) {
        const [made] = package_.populateBinaryFuse8([1n]);
        made.takeJSON(text);
        return made;
      },
      release: () => {},
      // The size counts a fingerprint as a byte. The package stores JSON, and has an array in memory.
      payloadBytes: (made) => made.Fingerprints.length,
      designedRate: () => BUILT_FPR,
    };
  },
};

/** The functions with which a round measures a contender. */
export function adapt(part, name, module, tamis) {
  const own = CONTENDERS[part][name];
  return ADAPTERS[own.module ?? 'engine'](module, own, tamis);
}
