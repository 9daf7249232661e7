// What the contenders do with strings, in any engine. Each of them imports a copy of this module of its own (`?name`),
// so that an engine that compiles its loops learns nothing from another contender's.

const FPR = 0.01;

const MAKERS = {
  tamis: ({ BloomFilter }) => ({
    create: (capacity) => new BloomFilter({ capacity, fpr: FPR }),
    add: (filter, key) => filter.add(key),
    has: (filter, key) => filter.has(key),
    many: (filter, keys) => filter.hasMany(keys).reduce((hits, answer) => hits + answer, 0),
    from: (keys) => BloomFilter.from(keys, { fpr: FPR }),
    release: (filter) => filter.dispose(),
  }),
  bloomfilter: ({ BloomFilter }) => ({
    create: (capacity) => BloomFilter.withTargetError(capacity, FPR),
    add: (filter, key) => filter.add(key),
    has: (filter, key) => filter.test(key),
  }),
  'bloom-filters': ({ default: exported }) => {
    // CommonJS: Node's default export is all that it exports, a bundler's may be its own default.
    const BloomFilter = exported.default ?? exported;
    return {
      create: (capacity) => BloomFilter.create(capacity, FPR),
      add: (filter, key) => filter.add(key),
      has: (filter, key) => filter.has(key),
    };
  },
  set: () => ({
    create: () => new Set(),
    add: (set, key) => set.add(key),
    has: (set, key) => set.has(key),
    from: (keys) => new Set(keys),
  }),
};

/** The contender as loops over many keys: `add`, `has`, which counts, and what only some have. */
export function loopsOf(name, module) {
  const { create, add, has, many, from, release = () => {} } = MAKERS[name](module);
  return {
    create,
    add(filter, keys) {
      for (let i = 0; i < keys.length; i++) add(filter, keys[i]);
    },
    has(filter, keys) {
      let hits = 0;
      for (let i = 0; i < keys.length; i++) if (has(filter, keys[i])) hits++;
      return hits;
    },
    many,
    from,
    release,
  };
}
