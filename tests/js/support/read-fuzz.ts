/** Compares tamis/read with tamis on random and damaged files of a type: answers, figures and refusals must agree. */
import * as tamis from 'tamis';
import * as read from 'tamis/read';

import { rowOf, rows } from '../rows.js';
import { Dice, damaged, distinctKeys, type Recipe, type Whole } from './read-files.js';

/** Larger files are not damaged: they take long, and have the same kinds of fields. */
const longestDamaged = 40_000;
/** How many other keys are looked up, in addition to those of the file. */
const others = 150;
/** After this many files, other keys are used, and a large file is made. */
const round = 39;

type ClassName = keyof typeof rows;
/** The classes for which random files are made. */
export const classNames = (Object.keys(rows) as ClassName[]).filter((name) => rowOf(name).file);
type Reader = read.AnyFilter;
interface Loader<Made> {
  fromBytes(bytes: Uint8Array, options?: tamis.LoadOptions): Made;
}
const wholes = { ...tamis } as unknown as Record<ClassName, Loader<Whole>>;
const readers = { ...read } as unknown as Record<ClassName, Loader<Reader>>;

/** How much was compared. */
export interface Tally {
  files: number;
  /** Recipes from which no file can be made, by the code of the refusal. */
  notBuilt: Record<string, number>;
  /** Files that need a secret key. */
  keyed: number;
  keys: number;
  /** Answers and hashes that were compared; there are several for each key. */
  answers: number;
  damaged: number;
  /** Damaged files that both accepted. */
  taken: number;
  /** Damaged files that both refused, by the code. */
  refused: Record<string, number>;
}

/** Two structures that were made from the same bytes. */
interface Pair {
  readonly what: string;
  readonly whole: Whole;
  readonly reader: Reader;
  readonly hashing: { readonly secret?: Uint8Array };
}

function fail(what: string, ...more: unknown[]): never {
  const shown = more.map((one) =>
    one instanceof Uint8Array ? Buffer.from(one).toString('hex') : one,
  );
  throw new Error(`${what} ${JSON.stringify(shown).slice(0, 4000)}`);
}

/** Returns the result of an action, or the code that it throws. */
function outcome<T>(action: () => T): T | string {
  try {
    return action();
  } catch (error) {
    return (error as tamis.TamisError).code ?? String(error);
  }
}

const addTo = (counts: Record<string, number>, code: string) => {
  counts[code] = (counts[code] ?? 0) + 1;
};

function compareMany(
  what: string,
  got: ArrayLike<number>,
  due: ArrayLike<number>,
  keys: readonly tamis.Key[],
) {
  if (got.length !== due.length) fail(`${what}: ${got.length} answers, ${due.length} due`);
  for (let i = 0; i < due.length; i++) if (got[i] !== due[i]) fail(what, got[i], due[i], keys[i]);
}

/** Compares the figures of both structures. */
function compareFigures({ what, whole, reader }: Pair) {
  const got = reader.toJSON();
  const due = whole.toJSON() as Record<string, unknown>;
  const more = reader.type === 'bloomier' ? [] : ['capacity', 'fpr'];
  for (const name of ['type', 'hash', 'seed', 'count', 'sizeBytes', ...more]) {
    if (!(name in got && name in due)) fail(`${what} lacks ${name}`, got, due);
  }
  for (const [name, value = null] of Object.entries(got)) {
    const wanted = due[name];
    const isNear = name === 'fpr' && Math.abs((value as number) / (wanted as number) - 1) <= 1e-9;
    if (name in due && !isNear && value !== wanted) fail(`${what}: ${name}`, value, wanted);
  }
}

/** Looks up keys in all ways. */
function compareAnswers({ what, whole, reader, hashing }: Pair, keys: readonly tamis.Key[]) {
  const due = whole.hasMany(keys);
  compareMany(`${what}: hasMany`, reader.hasMany(keys), due, keys);
  const hashes = tamis.hashKeys(keys, hashing);
  compareMany(`${what}: hasHashes`, reader.hasHashes(hashes), due, keys);
  keys.forEach((key, i) => {
    if (reader.has(key) !== (due[i] === 1)) fail(`${what}: has`, due[i], key);
    if (read.hashKey(key, hashing) !== hashes[i]) fail(`${what}: hashKey`, key);
  });
  if (reader.type !== 'bloomier') return 4 * keys.length;
  const values = (whole as unknown as tamis.BloomierMap).getMany(keys);
  const got = reader.getMany(keys);
  compareMany(`${what}: getMany`, got.values, values.values, keys);
  compareMany(`${what}: found`, got.found, values.found, keys);
  keys.forEach((key, i) => {
    const value = values.found[i] === 1 ? values.values[i] : undefined;
    if (reader.get(key) !== value) fail(`${what}: get`, value, key);
  });
  return 6 * keys.length;
}

/** The bytes, or a view of a larger buffer that contains them at an odd offset. */
function placed(dice: Dice, bytes: Uint8Array<ArrayBuffer>) {
  if (dice.oneIn(2)) return { bytes, options: {} };
  const within = new Uint8Array(bytes.length + 16).fill(dice.below(256));
  const at = 1 + 2 * dice.below(8);
  within.set(bytes, at);
  return { bytes: within.subarray(at, at + bytes.length), options: { view: true } };
}

/** A file, and how to load it. */
interface Made extends Recipe {
  readonly what: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly load: { readonly secret?: Uint8Array };
}

/** Options for a damaged file: sometimes without its secret, with another secret, or with a low limit. */
function optionsFor({ dice, load, bytes }: Made): tamis.LoadOptions {
  const limit = dice.oneIn(30) ? { maxBytes: bytes.length + dice.from(-9, 9) } : {};
  if (!dice.oneIn(20)) return { ...load, ...limit };
  return dice.oneIn(2) ? limit : { secret: dice.bytes(16), ...limit };
}

function compareDamaged(name: ClassName, made: Made, tally: Tally) {
  const { dice } = made;
  const what = `${made.what}, damaged`;
  const bad = damaged(dice, made.bytes);
  const options = optionsFor(made);
  const isAny = dice.oneIn(2);
  const place = placed(dice, bad);
  const more = { ...options, ...place.options };
  const whole = outcome(() =>
    isAny
      ? (tamis.fromBytes(bad, options) as unknown as Whole)
      : wholes[name].fromBytes(bad, options),
  );
  const reader = outcome(() =>
    isAny
      ? (read.fromBytes(place.bytes, more) as Reader)
      : readers[name].fromBytes(place.bytes, more),
  );
  tally.damaged++;
  if (typeof whole !== 'string' && typeof reader !== 'string') {
    const pair = { what, whole, reader, hashing: options.secret ? { secret: options.secret } : {} };
    const keys = [...made.keys.slice(0, 10), ...made.others.slice(0, 10)];
    tally.answers += compareAnswers(pair, keys);
    compareFigures(pair);
    tally.taken++;
  } else {
    const [due, got] = [whole, reader].map((one) => (typeof one === 'string' ? one : 'taken'));
    // tamis/read does not open an iblt, which has no look-ups.
    const isClosed = isAny && bad[10] === 14 && got === 'ERR_TAMIS_WRONG_TYPE';
    if (got !== due && !isClosed) fail(`${what}: ${got}, ${due} due`, isAny, bad, options.secret);
    addTo(tally.refused, got as string);
  }
  if (typeof whole !== 'string') whole.dispose();
}

/** A recipe for file number i: the first of a round has many keys, and every fourth has a secret. */
function recipeOf(dice: Dice, pool: readonly tamis.Key[], i: number): Recipe & Pick<Made, 'load'> {
  const n = i % round === 0 ? dice.from(5000, 6300) : dice.below(dice.oneIn(16) ? 5000 : 300);
  const start = dice.below(pool.length - n - others);
  const load = i % 4 === 3 ? { secret: dice.bytes(16) } : {};
  return {
    dice,
    keys: pool.slice(start, start + n),
    others: pool.slice(start + n, start + n + others),
    load,
    hashing: {
      ...(dice.oneIn(2) ? {} : { seed: dice.word64() }),
      ...load,
    },
  };
}

/** Compares files of a type, and damaged ones. Throws if there is a difference. */
export function fuzz(name: ClassName, seed: number, files: number, damagedFiles: number): Tally {
  // Each type gets other keys.
  const dice = new Dice(seed + 1000 * classNames.indexOf(name));
  const make = rowOf(name).file as (recipe: Recipe) => Whole;
  let pool: tamis.Key[] = [];
  const tally: Tally = {
    ...{ files: 0, keyed: 0, keys: 0, answers: 0, damaged: 0, taken: 0 },
    ...{ notBuilt: {}, refused: {} },
  };
  for (let made = 0; tally.files < files; made++) {
    if (made % round === 0) pool = distinctKeys(dice, 8000);
    const recipe = recipeOf(dice, pool, made);
    const whole = outcome(() => make(recipe));
    if (typeof whole === 'string') {
      if (made > 2 * files) fail(`${name}: not built`, tally.notBuilt);
      addTo(tally.notBuilt, whole);
      continue;
    }
    const file: Made = { ...recipe, what: `${name} ${made}, seed ${seed}`, bytes: whole.toBytes() };
    const { bytes, options } = placed(dice, file.bytes);
    const reader = readers[name].fromBytes(bytes, { ...file.load, ...options } as never);
    const pair = { what: file.what, whole, reader, hashing: file.load };
    const keys = [...file.keys, ...file.others];
    tally.files++;
    tally.keys += keys.length;
    tally.answers += compareAnswers(pair, keys);
    if (file.load.secret) tally.keyed++;
    compareFigures(pair);
    whole.dispose();
    const isDamaged = file.bytes.length <= longestDamaged || tally.files === files;
    const due = isDamaged ? (damagedFiles * tally.files) / files : 0;
    while (tally.damaged < due) compareDamaged(name, file, tally);
  }
  return tally;
}
