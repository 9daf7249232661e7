// @ts-check
// Checks tamis/read against the golden files and the hash vectors. It is plain JavaScript, for any engine.
import { classesOf } from './all-classes.mjs';

/**
 * An entry of a golden manifest, with the file's bytes. Keys and bytes are hexadecimal, but not indices of a bit array.
 * @typedef {object} GoldenFile
 * @property {string} file
 * @property {string} type
 * @property {boolean} valid
 * @property {string} bytes
 * @property {string} [error]
 * @property {string} [key]
 * @property {readonly string[]} [present]
 * @property {readonly { readonly key: string, readonly has: boolean }[]} [absent]
 */

/**
 * A published hash of bytes, with a secret key if it has one.
 * @typedef {{ readonly bytes: string, readonly key?: string, readonly hash: string }} HashVector
 */

/**
 * The faults that a check found, and how much it checked.
 * @typedef {{ faults: string[], files: number, loads: number, answers: number, vectors: number }} Found
 */

/** @typedef {typeof import('tamis/read')} Read */

/** @param {string} hex */
const fromHex = (hex) => {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  }
  return bytes;
};

/**
 * A key as bytes, and as text if the bytes are UTF-8.
 * @typedef {{ readonly bytes: Uint8Array, readonly text: string | undefined }} Forms
 */

/** @type {Map<string, Forms>} */
const known = new Map();

/**
 * @param {string} hex
 * @returns {Forms}
 */
function formsOf(hex) {
  const before = known.get(hex);
  if (before !== undefined) return before;
  const bytes = fromHex(hex);
  let text;
  try {
    // Not every engine has a TextDecoder. This is as strict, and keeps a byte order mark.
    text = decodeURIComponent(hex.replace(/../g, '%$&'));
  } catch {
    // These bytes are no UTF-8.
  }
  const forms = { bytes, text };
  known.set(hex, forms);
  return forms;
}

/** @param {GoldenFile} one */
const optionsOf = ({ key }) => (key === undefined ? {} : { secret: fromHex(key) });

/**
 * Returns the code that an action throws, or undefined if it throws none.
 * @param {() => unknown} action
 * @returns {string | undefined}
 */
function codeOf(action) {
  try {
    action();
    return undefined;
  } catch (error) {
    return /** @type {{ code?: string }} */ (error).code ?? String(error);
  }
}

/**
 * The classes, by their types.
 * @param {Read} read
 * @returns {Map<string, import('tamis/read').ReaderClass>}
 */
const classesByType = (read) =>
  new Map(classesOf(read).map((Class) => [Class.prototype.type, Class]));

/**
 * The allowed codes; undefined stands for acceptance. A reader may refuse a type without a class, or a scheme of
 * another library.
 * @param {GoldenFile} one
 * @param {boolean} hasClass
 * @returns {(string | undefined)[]}
 */
function codesDue({ valid, error, bytes }, hasClass) {
  const [type, hash] = /** @type {[number, number]} */ ([...fromHex(bytes.slice(20, 24))]);
  const isOfOthers = type <= 2 && hash > 2;
  const own = valid ? undefined : error;
  if (hasClass && !isOfOthers) return [own];
  const refusal = hasClass ? 'ERR_TAMIS_UNSUPPORTED' : 'ERR_TAMIS_WRONG_TYPE';
  return valid ? [refusal] : [own, refusal];
}

/**
 * Looks up all keys of an entry, in every way if `isWhole`.
 * @param {Read} read
 * @param {import('tamis/read').AnyFilter | import('tamis/read').BitArray} reader
 * @param {GoldenFile} one
 * @param {boolean} isWhole
 * @param {Found} found
 */
function askAll(read, reader, one, isWhole, found) {
  const { present = [], absent = [] } = one;
  const due = [...present.map((key) => ({ key, has: true })), ...absent];
  /** @type {(what: string, key: string, isRight: boolean) => void} */
  const check = (what, key, isRight) => {
    found.answers++;
    if (!isRight) found.faults.push(`${one.file}: ${what} of ${key.slice(0, 80)}`);
  };
  if (reader.type === 'bit-array') {
    for (const { key, has } of due) check('has', key, reader.has(Number(key)) === has);
    return;
  }
  const keys = due.map(({ key }) => formsOf(key).bytes);
  const many = reader.hasMany(keys);
  due.forEach(({ key, has }, i) => {
    check('hasMany', key, many[i] === Number(has));
  });
  if (!isWhole) return;
  const options = optionsOf(one);
  const hashes = BigUint64Array.from(keys, (key) => read.hashKey(key, options));
  const ofHashes = reader.hasHashes(hashes);
  due.forEach(({ key, has }, i) => {
    const { bytes, text } = formsOf(key);
    check('has', key, reader.has(bytes) === has);
    if (text !== undefined) check('has, as a text', key, reader.has(text) === has);
    check('hasHashes', key, ofHashes[i] === Number(has));
  });
  if (reader.type !== 'bloomier') return;
  // In these files the value of a key is the number of its bytes.
  const most = 2 ** /** @type {number} */ (reader.toJSON().valueBits);
  const { values } = reader.getMany(keys.slice(0, present.length));
  present.forEach((key, i) => {
    const value = (key.length / 2) % most;
    check('get', key, reader.get(formsOf(key).bytes) === value);
    check('getMany', key, values[i] === value);
  });
}

/**
 * The bytes of a file, and a view of a larger buffer that contains them at an odd offset.
 * @param {GoldenFile} one
 */
function placesOf({ bytes }) {
  const alone = fromHex(bytes);
  const within = new Uint8Array(alone.length + 8).subarray(3, 3 + alone.length);
  within.set(alone);
  return { alone, within };
}

/**
 * Loads a file in all ways, and looks up its keys.
 * @param {Read} read
 * @param {ReturnType<typeof classesOf>} classes
 * @param {GoldenFile} one
 * @param {Found} found
 */
function checkFile(read, classes, one, found) {
  const { alone, within } = placesOf(one);
  const options = optionsOf(one);
  const isView = { ...options, view: true };
  /** @type {(what: string, codes: readonly (string | undefined)[], action: () => unknown) => void} */
  const check = (what, codes, action) => {
    found.loads++;
    const code = codeOf(action);
    if (codes.includes(code)) return;
    found.faults.push(`${one.file}: ${what} gave ${code ?? 'no error'}, ${codes} was due`);
  };
  const due = codesDue(one, classes.has(one.type));
  const all = [...classes.values()];
  check('fromBytesOf', due, () => read.fromBytesOf(all, alone, options));
  check('fromBytesOf of a view', due, () => read.fromBytesOf(all, within, isView));
  const isBits = one.type === 'bit-array';
  const dueOfAny = isBits ? ['ERR_TAMIS_WRONG_TYPE', ...(one.valid ? [] : due)] : due;
  check('fromBytes', dueOfAny, () => read.fromBytes(alone, options));
  for (const [type, Class] of classes) {
    const codes = type === one.type ? due : ['ERR_TAMIS_WRONG_TYPE'];
    // A damaged file of another type may be refused for its damage first, so only valid files are asked.
    if (one.valid || type === one.type) check(type, codes, () => Class.fromBytes(alone, options));
  }
  if (due[0] !== undefined) return;
  const failure = codeOf(() => {
    askAll(read, read.fromBytesOf(all, alone, options), one, false, found);
    askAll(read, read.fromBytesOf(all, within, isView), one, true, found);
  });
  if (failure !== undefined) found.faults.push(`${one.file}: ${failure}`);
}

/**
 * Checks a module against the vectors and the golden files. Stops after `mostFaults` faults.
 * @param {Read} read
 * @param {readonly GoldenFile[]} golden
 * @param {readonly HashVector[]} vectors
 * @returns {Found}
 */
export function checkGolden(read, golden, vectors, mostFaults = 100) {
  /** @type {Found} */
  const found = { faults: [], files: 0, loads: 0, answers: 0, vectors: 0 };
  for (const { bytes, key, hash } of vectors) {
    found.vectors++;
    const options = key === undefined ? {} : { secret: fromHex(key) };
    const got = read.hashKey(fromHex(bytes), options).toString(16).padStart(16, '0');
    const size = bytes.length / 2;
    if (got !== hash) found.faults.push(`hash of ${size} bytes: ${got}, ${hash} was due`);
  }
  const classes = classesByType(read);
  for (const one of golden) {
    if (found.faults.length >= mostFaults) break;
    found.files++;
    checkFile(read, classes, one, found);
  }
  return found;
}
