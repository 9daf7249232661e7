// Who takes part in the third part: what is built once, BloomFilter beside it, and npm's binary-fuse-filter.
// A module is imported only in the child process that measures it.

/** The rate of all but the widest: fingerprints of 8 bits. */
export const FPR = 2 ** -8;

/** @typedef {object} Contender
 * @property {'filter' | 'map' | 'exact' | 'large' | 'universe'} part how it is measured
 * @property {string} module name of the npm package
 * @property {string} type name of the class
 * @property {string} [note] what the tables say beside the class
 * @property {object} [options]
 * @property {number} [times] how many times the keys of the bench it gets
 */

const filter = (type, note, options, more = {}) => ({
  part: 'filter',
  module: 'tamis',
  type,
  note,
  options,
  ...more,
});

const FILTERS = {
  bloom: filter('BloomFilter', undefined, { fpr: FPR }),
  fuse8: filter('BinaryFuseFilter', '8 bits, 4-wise', { fingerprintBits: 8, arity: 4 }),
  'fuse8-3': filter('BinaryFuseFilter', '8 bits, 3-wise', { fingerprintBits: 8, arity: 3 }),
  ribbon8: filter('RibbonFilter', '8 bits', { fingerprintBits: 8 }),
  ribbon16: filter('RibbonFilter', '16 bits', { fingerprintBits: 16 }),
};

const large = ({ type, note, options }) =>
  filter(type, note, options, { part: 'large', times: 10 });

export const STATIC = {
  ...FILTERS,
  peer: { part: 'filter', module: 'binary-fuse-filter', type: 'BinaryFuse8', note: '3-wise' },
  bloomier: {
    part: 'map',
    module: 'tamis',
    type: 'BloomierMap',
    note: 'values of 8 bits',
    options: { valueBits: 8, checkBits: 8 },
  },
  exact: { part: 'exact', module: 'tamis', type: 'ExactFilter' },
  'bloom@large': large(FILTERS.bloom),
  'fuse8@large': large(FILTERS.fuse8),
  'ribbon8@large': large(FILTERS.ribbon8),
  'exact@universe': { part: 'universe', module: 'tamis', type: 'ExactFilter' },
};

export const labelOf = ({ type, note, module }) =>
  `\`${type}\`${module === 'tamis' ? '' : ` of ${module}`}${note === undefined ? '' : `, ${note}`}`;

const LOADERS = {
  async tamis({ type, options }) {
    const { hashKeys, keysFromLines, [type]: Class } = await import('tamis');
    const fromHashes =
      Class.fromHashes === undefined
        ? (hashes) => {
            const made = new Class({ capacity: hashes.length, ...options });
            made.addHashes(hashes);
            return made;
          }
        : (hashes) => Class.fromHashes(hashes, options);
    return {
      hashKeys,
      keysFromLines,
      from: (keys) => Class.from(keys, options),
      fromHashes,
      has: (made, key) => made.has(key),
      hasMany: (made, keys) => made.hasMany(keys),
      hasHashes: (made, hashes) => made.hasHashes(hashes),
      store: (made) => made.toBytes(),
      load: (bytes) => Class.fromBytes(bytes),
      release: (made) => made.dispose(),
      designedRate: (made) => made.fpr,
    };
  },

  /** It takes 64-bit numbers and hashes nothing: keys are hashed by tamis, which nothing in npm outruns. */
  async 'binary-fuse-filter'() {
    const { hashKey, hashKeys, keysFromLines } = await import('tamis');
    const { default: package_ } = await import('binary-fuse-filter');
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
      hasHashes(made, hashes) {
        const answers = new Uint8Array(hashes.length);
        for (let i = 0; i < hashes.length; i++) answers[i] = made.contains(hashes[i]) ? 1 : 0;
        return answers;
      },
      store: (made) => made.makeJSON(),
      load(text) {
        const [made] = package_.populateBinaryFuse8([1n]);
        made.takeJSON(text);
        return made;
      },
      release: () => {},
      // Its fingerprints as bytes: it stores JSON, and a JavaScript array in memory.
      payloadBytes: (made) => made.Fingerprints.length,
      designedRate: () => FPR,
    };
  },
};

export const loadStatic = (name) => LOADERS[STATIC[name].module](STATIC[name]);
