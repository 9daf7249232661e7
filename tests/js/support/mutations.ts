/**
 * Changes files of other libraries in many ways. Each must be refused with a code, or become a filter that answers.
 * Import this module before the core starts, because it watches the core's memory.
 */
import { budget, seed } from './budget.js';
import { isDocumented } from './errors.js';
import { random } from './keys.js';
import { rawMemory } from './raw-core.js';

/** The number of cases for each codec. */
export const mutationCount = budget(20_000);

/** A header field that contains a length. */
export interface LengthField {
  readonly at: number;
  readonly bytes: 1 | 2 | 4 | 8;
  readonly isBig?: boolean;
}

/** A codec to test, with the files to change and the fields to change in them. */
export interface Mutated {
  readonly files: readonly Uint8Array[];
  /** The size of the header. Each of its bytes is changed to every value. */
  readonly headerBytes: number;
  readonly lengths: readonly LengthField[];
  /** Calls the codec, with a limit of `maxBytes` for the result. */
  readonly decode: (bytes: Uint8Array, maxBytes: number) => Decoded;
  /** Keys that every filter accepts. The default has several lengths. */
  readonly keys?: readonly Uint8Array[];
}

/** The members that the filters of all codecs have. */
export interface Decoded {
  readonly sizeBytes: number;
  has(key: Uint8Array): boolean;
  toBytes(): Uint8Array;
  dispose(): void;
}

/** The outcome of all cases: for each code, how often it occurred. */
export interface Outcome {
  readonly cases: number;
  readonly taken: number;
  readonly codes: ReadonlyMap<string, number>;
}

function copyOf(bytes: Uint8Array, change: (copy: Uint8Array<ArrayBuffer>) => void) {
  const copy = new Uint8Array(bytes);
  change(copy);
  return copy;
}

/** Writes the low bytes of a number to a field. */
function put(bytes: Uint8Array, { at, bytes: size, isBig = false }: LengthField, value: bigint) {
  for (let i = 0; i < size; i++) {
    const shift = BigInt(8 * (isBig ? size - 1 - i : i));
    bytes[at + i] = Number((value >> shift) & 255n);
  }
}

function get(bytes: Uint8Array, { at, bytes: size, isBig = false }: LengthField): bigint {
  let value = 0n;
  for (let i = 0; i < size; i++) {
    value = (value << 8n) | BigInt(bytes[at + (isBig ? i : size - 1 - i)] as number);
  }
  return value;
}

/** Values for a length: 0, 1, the right one and its neighbours, and the limits of signed and unsigned numbers. */
function claimsOf(right: bigint, size: number): bigint[] {
  const half = 1n << BigInt(8 * size - 1);
  const ends = [half - 1n, half, half + 1n, 2n * half - 1n, 2n * half - 2n];
  const near = [0n, 1n, 2n, right - 1n, right, right + 1n, right * 2n, right ^ half];
  return [...near, ...ends, half >> 3n, half >> 6n, (half >> 3n) + right];
}

/**
 * Every value of each header byte, every value for each length, every truncation, and longer files. Each is a function
 * that makes the file, because most are only counted.
 */
function* everyMutation({ files, headerBytes, lengths }: Mutated): Generator<() => Uint8Array> {
  for (const file of files) {
    yield () => file;
    const header = Math.min(headerBytes, file.length);
    for (let at = 0; at < header; at++) {
      for (let value = 0; value < 256; value++) {
        yield () =>
          copyOf(file, (copy) => {
            copy[at] = value;
          });
      }
    }
    const found = lengths.filter(({ at, bytes }) => at + bytes <= file.length);
    for (const field of found) {
      for (const claim of claimsOf(get(file, field), field.bytes)) {
        yield () => copyOf(file, (copy) => put(copy, field, claim));
      }
    }
    for (let size = 0; size < file.length; size++) yield () => file.subarray(0, size);
    for (const more of [1, 7, 8, 64, file.length]) {
      for (const filling of [0, 0xa5]) {
        yield () => {
          const longer = new Uint8Array(file.length + more).fill(filling, file.length);
          longer.set(file);
          return longer;
        };
      }
    }
  }
}

/** Makes several random changes at once: mostly in the header, sometimes in the whole file. */
function randomMutation({ files, headerBytes, lengths }: Mutated, next: () => number): Uint8Array {
  const below = (n: number) => next() % n;
  const file = files[below(files.length)] as Uint8Array;
  let bytes = new Uint8Array(file);
  for (let changes = 1 + below(4); changes > 0; changes--) {
    if (bytes.length === 0) break;
    const near = Math.min(bytes.length, below(4) === 0 ? bytes.length : headerBytes);
    const at = below(Math.max(1, near));
    const kind = below(8);
    if (kind < 3) bytes[at] = (bytes[at] as number) ^ (1 << below(8));
    else if (kind < 5) bytes[at] = below(256);
    else if (kind === 5) {
      const field = lengths[below(Math.max(1, lengths.length))];
      if (field === undefined || field.at + field.bytes > bytes.length) continue;
      const claims = claimsOf(get(bytes, field), field.bytes);
      put(bytes, field, claims[below(claims.length)] as bigint);
    } else if (kind === 6) bytes = bytes.slice(0, below(bytes.length + 1));
    else {
      const longer = new Uint8Array(bytes.length + 1 + below(16));
      longer.set(bytes);
      bytes = longer;
    }
  }
  return bytes;
}

function describeCase(bytes: Uint8Array): string {
  return `${bytes.length} bytes: ${Buffer.from(bytes.subarray(0, 160)).toString('hex')}`;
}

const someKeys = ['', 'a', 'some key of eight', '\u00e9\u{1f41d}'].map((key) =>
  new TextEncoder().encode(key),
);

/**
 * Decodes `count` mutations, from the list and at random. Each must be refused with a code, or become a filter that
 * answers. Throws otherwise, or if a filter exceeds its limit, or if the core's memory grew by more than all that may
 * exist at once.
 */
export function runMutations(mutated: Mutated, count = mutationCount, start = seed): Outcome {
  const largest = Math.max(...mutated.files.map(({ length }) => length));
  const maxBytes = 2 * largest + 65_536;
  const codes = new Map<string, number>();
  let cases = 0;
  let taken = 0;
  let room: number | undefined;

  const check = (bytes: Uint8Array) => {
    cases++;
    let filter: Decoded;
    try {
      filter = mutated.decode(bytes, maxBytes);
    } catch (error) {
      if (!isDocumented(error) || error.code === 'ERR_TAMIS_OUT_OF_MEMORY') {
        throw new Error(`${String(error)}; ${describeCase(bytes)}`, { cause: error });
      }
      codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
      return;
    }
    try {
      for (const key of mutated.keys ?? someKeys) filter.has(key);
      if (filter.sizeBytes > maxBytes + 4096) {
        throw new Error(`a filter of ${filter.sizeBytes} bytes`);
      }
    } catch (error) {
      throw new Error(`taken, and then: ${String(error)}; ${describeCase(bytes)}`, {
        cause: error,
      });
    } finally {
      filter.dispose();
    }
    taken++;
    // Only now, because the first case starts the core.
    room ??= rawMemory().view.byteLength + 16 * maxBytes;
  };

  // If the list is longer than half of the cases, takes equal steps through it. Otherwise takes all of it.
  let listed = 0;
  for (const _ of everyMutation(mutated)) listed++;
  const step = Math.max(1, Math.ceil(listed / (count / 2)));
  let i = 0;
  for (const make of everyMutation(mutated)) {
    if (i++ % step === 0) check(make());
  }
  const next = random(start);
  while (cases < count) check(randomMutation(mutated, next));
  const { byteLength } = rawMemory().view;
  if (room !== undefined && byteLength > room) {
    throw new Error(`the core's memory has ${byteLength} bytes, and should have at most ${room}`);
  }
  return { cases, taken, codes };
}
