// Compares all ways in which the package turns a string into bytes with TextEncoder. Runs in Jest and in pages.

import fc from 'fast-check';
import { BloomFilter, hashKey, hashKeys } from 'tamis';
import { loneSurrogate, mostHelped } from '../../../js/src/core/border/constants.js';
import { makeHelper, writeUnits } from '../../../js/src/core/border/strings.js';

export { writeUnits };

/** The code may write from here to the end of its room, and nowhere else. */
const start = 64;
const room = 3 * 1024;
const mark = 0xa5;

const memory = new WebAssembly.Memory({ initial: 1 });
const bytes = new Uint8Array(memory.buffer);
/** The arguments of calls to the core's exports. */
const asked: number[][] = [];
const listen =
  (answer: number) =>
  (...args: number[]) => {
    asked.push(args);
    return answer;
  };

/** Stands in for exports of the core, because the helper can also import JavaScript functions. */
const core = {
  _tamis_has: listen(1),
  _tamis_ask: listen(2),
};
export const helper = makeHelper(memory, start, core);

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
// Independent of isWellFormed, which the package uses.
export const hasLoneSurrogate = (text: string): boolean =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(encode(text)) !== text;

function expectEqual(got: unknown, expected: unknown, what: string): void {
  const [a, b] = [got, expected].map((value) => String(value));
  if (a !== b) throw new Error(`${what}: ${a} and not ${b}`);
}

/** Returns the bytes that a function writes, or undefined if it refuses. Throws if it wrote outside its room. */
function written(act: () => number, slack: number): Uint8Array | undefined {
  bytes.fill(mark);
  const size = act();
  if (size < 0) return undefined;
  const touched = bytes.findLastIndex((byte) => byte !== mark) + 1;
  if (bytes.subarray(0, start).some((byte) => byte !== mark)) throw new Error('bytes in front');
  if (touched > start + size + slack) throw new Error('bytes behind');
  return bytes.slice(start, start + size);
}

/** Lengths just below, at and above each limit of the table, and of blocks of four and eight. */
export const limits: readonly number[] = [0, 4, 8, 16, 24, 32, 40, 54, 64, 200, mostHelped].flatMap(
  (limit) => [limit - 1, limit, limit + 1].filter((length) => length >= 0),
);

/** UTF-16 units of every kind, with many halves of surrogate pairs. */
const unit = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0x7ff }),
  fc.integer({ min: 0x800, max: 0xffff }),
  fc.integer({ min: 0xd800, max: 0xdfff }),
);
const odd = fc.array(unit, { maxLength: 24 }).map((units) => String.fromCharCode(...units));
const characters = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 24 }),
  fc.string({ unit: 'grapheme', maxLength: 24 }),
  fc.string({ maxLength: 24 }),
);
/** A short piece at any position in ASCII text of one of the lengths. */
export const texts = fc
  .tuple(fc.oneof(odd, characters, fc.constant('')), fc.constantFrom(...limits), fc.nat(1))
  .chain(([piece, length, isExact]) =>
    fc.nat(Math.max(0, length - piece.length)).map((before) => {
      const text = 'a'.repeat(before) + piece;
      return isExact === 1 && text.length < length ? text.padEnd(length, 'zyx ') : text;
    }),
  );

function holdWriter(name: string, write: (text: string) => number, slack: number, most: number) {
  fc.assert(
    fc.property(texts, (text) => {
      if (text.length > most) return;
      const expected = hasLoneSurrogate(text) ? undefined : encode(text);
      expectEqual(
        written(() => write(text), slack),
        expected,
        `${name} of ${show(text)}`,
      );
    }),
    { numRuns: 500 },
  );
}

const show = (text: string): string => JSON.stringify(text);

/** Checks for each way. They return 'holds' or why this engine lacks the way, and throw if there is a fault. */
export const roads: Record<string, () => string> = {
  loop() {
    const view = new Uint8Array(memory.buffer, 0, start + room + 16);
    const words = new Int32Array(memory.buffer, 0, view.length >> 2);
    holdWriter('loop', (text) => writeUnits(text, view, words, start), 0, room / 3);
    return 'holds';
  },

  helper() {
    if (helper === undefined) return 'no js-string builtins';
    holdWriter('helper', (text) => helper.write(text, start), 7, mostHelped);
    return 'holds';
  },

  'helper that asks'() {
    if (helper === undefined) return 'no js-string builtins';
    const { has, ask } = helper;
    const questions = [
      [(text: string) => has(7, text), 1, [7, start]],
      [(text: string) => ask(5, 7, text), 2, [7, 5, start]],
    ] as const;
    fc.assert(
      fc.property(texts, (text) => {
        if (text.length > mostHelped) return;
        for (const [act, answer, told] of questions) {
          asked.length = 0;
          bytes.fill(mark);
          const got = act(text);
          if (hasLoneSurrogate(text)) {
            expectEqual([got, asked.length], [loneSurrogate, 0], show(text));
          } else {
            const utf8 = encode(text);
            expectEqual([got, ...asked], [answer, [...told, utf8.length]], show(text));
            expectEqual(bytes.slice(start, start + utf8.length), utf8, show(text));
          }
        }
      }),
      { numRuns: 300 },
    );
    return 'holds';
  },

  /** A single key in all calls, whichever way the table chooses. */
  'one key'() {
    fc.assert(
      fc.property(texts, (text) => {
        const filter = new BloomFilter({ capacity: 10 });
        const actions = [
          () => hashKey(text),
          () => filter.has(text),
          () => filter.add(text),
          () => filter.positions(text).join(),
        ];
        if (hasLoneSurrogate(text)) {
          for (const act of actions) expectEqual(codeOf(act), 'ERR_TAMIS_INVALID_KEY', show(text));
          expectEqual(filter.count, 0, show(text));
          return;
        }
        const utf8 = encode(text);
        const twin = new BloomFilter({ capacity: 10 });
        twin.add(utf8);
        const expected = [hashKey(utf8), false, true, twin.positions(utf8).join()];
        expectEqual(
          actions.map((act) => act()),
          expected,
          show(text),
        );
        expectEqual(filter.toBytes(), twin.toBytes(), show(text));
        filter.dispose();
        twin.dispose();
      }),
      { numRuns: 300 },
    );
    return 'holds';
  },

  /** Many keys: joined, one by one, and both mixed, in batches of ASCII with other texts between. */
  'many keys'() {
    const batch = fc
      .tuple(
        fc.array(texts, { maxLength: 12 }),
        fc.integer({ min: 0, max: 700 }),
        fc.integer({ min: 1, max: 400 }),
      )
      .map(([some, count, gap]) =>
        Array.from({ length: count }, (_, i) =>
          i % gap === gap >> 1 ? (some[i % Math.max(1, some.length)] ?? '') : `plain key ${i}`,
        ),
      );
    fc.assert(
      fc.property(batch, (keys) => {
        const bad = keys.findIndex(hasLoneSurrogate);
        if (bad >= 0) {
          let error: { code?: string; index?: number } = {};
          try {
            hashKeys(keys);
          } catch (caught) {
            error = caught as typeof error;
          }
          expectEqual([error.code, error.index], ['ERR_TAMIS_INVALID_KEY', bad], 'many keys');
        }
        const good = bad < 0 ? keys : keys.slice(0, bad);
        expectEqual(hashKeys(good), good.map((key) => hashKey(encode(key))).join(), 'many keys');
      }),
      { numRuns: 150 },
    );
    return 'holds';
  },
};

/** Long keys leave a short key after them every amount of room, from none to more than it can need. */
roads['the end of the room'] = () => {
  const scratchBytes = 128 * 1024;
  for (const [kind, size] of [
    ['\u6f22', 3],
    ['\u00e9', 2],
    ['a', 1],
  ] as const) {
    for (let rest = 0; rest <= 110; rest++) {
      const long = `\u00e9${'a'.repeat(scratchBytes - 2 - rest)}`;
      const keys = [long, kind.repeat(31), 'b', kind.repeat(size)];
      expectEqual(hashKeys(keys), keys.map((key) => hashKey(encode(key))).join(), `${rest} left`);
    }
  }
  return 'holds';
};

function codeOf(act: () => unknown): string {
  try {
    return `answers ${act()}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}
