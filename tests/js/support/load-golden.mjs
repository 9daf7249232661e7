// Loads golden files with their classes, in a process or page where the core has not started. Each class loads its part
// of the wasm while all earlier structures are alive.

/** How many modules of the core were instantiated. The string helper does not count; it has no `env`. */
let parts = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(module, imports) {
    super(module, imports);
    if (imports.env !== undefined) parts++;
  }
};

const fromHex = (hex) =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** Returns what is wrong with the answers for keys in hexadecimal, or for a bit array's indices. */
function faultOf(loaded, { type, present, absent }) {
  const expected = [...present.map((key) => ({ key, has: true })), ...absent];
  const asked = expected.map(({ key }) => (type === 'bit-array' ? Number(key) : fromHex(key)));
  // The other types have no look-ups.
  if (!loaded.has || type === 'iblt' || type.startsWith('url-')) return undefined;
  const wrong = expected.findIndex(({ has }, i) => loaded.has(asked[i]) !== has);
  if (wrong >= 0) return `has(${expected[wrong].key})`;
  const many = type === 'bit-array' ? [] : loaded.hasMany(asked);
  return [...many].some((has, i) => (has === 1) !== expected[i].has) ? 'hasMany' : undefined;
}

/** Returns what is wrong with a structure, its copy, or the bytes of either. */
function bytesFaultOf(loaded, one) {
  loaded.validate();
  const isSame = [loaded, loaded.clone()].every((each) => {
    const bytes = each.toBytes();
    return fromHex(one.bytes).every((byte, i) => byte === bytes[i]);
  });
  return isSame ? undefined : 'other bytes';
}

const loadOne = (Class, { bytes, key }, options) =>
  Class.fromBytes(
    fromHex(bytes),
    key === undefined ? options : { ...options, secret: fromHex(key) },
  );

/**
 * Loads the golden files of some types, each with its own class only. At the end it checks everything that it loaded.
 * @param classes pairs of a type and its class, in the order of loading
 * @param golden the manifest's entries, each with its bytes in hexadecimal
 * @param schemes the schemes with which Bloom filters are loaded
 * @returns what went wrong; the number of structures at the end, and when the last part was loaded; and how many
 *   modules of the core each type loaded
 */
export function loadGolden(classes, golden, schemes) {
  const faults = [];
  const kept = [];
  const brought = {};
  let early = 0;
  for (const [type, Class] of classes) {
    const [before, living] = [parts, kept.length];
    for (const one of golden.filter((one) => one.type === type)) {
      let code;
      try {
        kept.push([one, loadOne(Class, one, { schemes })]);
      } catch (error) {
        code = error.code ?? String(error);
      }
      if (code !== one.error) faults.push(`${one.file}: ${code} where ${one.error} was due`);
    }
    brought[type] = parts - before;
    if (parts > before) early = living;
  }
  for (const [one, loaded] of kept) {
    try {
      const fault = bytesFaultOf(loaded, one) ?? faultOf(loaded, one);
      if (fault !== undefined) faults.push(`${one.file}: ${fault}`);
    } catch (error) {
      faults.push(`${one.file}: ${error}`);
    }
  }
  return { faults, kept: kept.length, early, brought };
}
