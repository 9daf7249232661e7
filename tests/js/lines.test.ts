/** keysFromLines, keyBatchesFrom and linesFrom: a list's bytes as keys, for any line ends and any chunks. */
import { describe, expect, test } from '@jest/globals';
import type { PackedKeys } from 'tamis';
import { BloomFilter, hashKeys, keyBatchesFrom, keysFromLines, linesFrom } from 'tamis';
import { expectOption, isDocumented, rejection, thrownBy } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { utf8 } from './support/keys.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function lines(packed: PackedKeys): string[] {
  return Array.from({ length: packed.length }, (_, i) =>
    decoder.decode(packed.bytes.subarray(packed.starts[i], packed.ends[i])),
  );
}

/** The rules once more, on a string of characters that are bytes. */
function expected(text: string): string[] {
  return text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split('\n')
    .map((line, i, all) => (i < all.length - 1 ? line.replace(/\r$/, '') : line))
    .filter((line) => line !== '');
}

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const asLatin1 = (packed: PackedKeys): string[] =>
  Array.from({ length: packed.length }, (_, i) =>
    Buffer.from(packed.bytes.subarray(packed.starts[i], packed.ends[i])).toString('latin1'),
  );

describe('keysFromLines', () => {
  test.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['\n', []],
    ['\n\n\n', []],
    ['a\nb', ['a', 'b']],
    ['a\n\nb\n\n', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a\r\r\nb', ['a\r', 'b']],
    ['\r\n\r\n', []],
    ['a\rb\nc', ['a\rb', 'c']],
    ['a\r', ['a\r']],
    ['a\n\r', ['a', '\r']],
    ['\r\n', []],
    ['\r\r\n', ['\r']],
    ['\ufeffa\nb', ['a', 'b']],
    ['\ufeff', []],
    ['\ufeff\n\ufeffb', ['\ufeffb']],
    ['a\n\ufeffb', ['a', '\ufeffb']],
    [' a \n\tb', [' a ', '\tb']],
    ['p\u00fc\n\u{1f41d}\r\n', ['p\u00fc', '\u{1f41d}']],
    ['a\0b\n\0', ['a\0b', '\0']],
  ])('%j', (text, want) => {
    const packed = keysFromLines(utf8(text));
    expect(lines(packed)).toEqual(want);
    expect(packed.length).toBe(want.length);
    expect(packed.starts).toBeInstanceOf(Uint32Array);
    expect(packed.ends).toBeInstanceOf(Uint32Array);
  });

  test('another separator', () => {
    expect(lines(keysFromLines(utf8('a,b,,c\n,d\r,'), { separator: 44 }))).toEqual([
      'a',
      'b',
      'c\n',
      'd\r',
    ]);
    expect(lines(keysFromLines(utf8('a\0b\0'), { separator: 0 }))).toEqual(['a', 'b']);
    for (const separator of [-1, 256, 1.5, NaN]) {
      expectOption(() => keysFromLines(utf8('a'), { separator }), RangeError);
    }
    expectOption(() => keysFromLines(utf8('a'), { separator: ',' } as object), TypeError);
    expectOption(() => keysFromLines(utf8('a'), { seperator: 44 } as object), TypeError);
  });

  test('property: any bytes', () => {
    const noise = fc.string({
      unit: fc.constantFrom('a', '\n', '\r', '\u00ef', '\u00bb', '\u00bf'),
    });
    fc.assert(
      fc.property(noise, fc.boolean(), (text, bom) => {
        const bytes = latin1((bom ? '\u00ef\u00bb\u00bf' : '') + text);
        expect(asLatin1(keysFromLines(bytes))).toEqual(
          expected(Buffer.from(bytes).toString('latin1')),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('more lines than any scratch holds', () => {
    const many = Array.from({ length: 200_000 }, (_, i) => `line ${i}`);
    const packed = keysFromLines(utf8(many.join('\r\n')));
    expect(packed.length).toBe(many.length);
    expect(lines(packed)).toEqual(many);
    const filter = BloomFilter.from(packed);
    expect(filter.hasMany(many).every((hit) => hit === 1)).toBe(true);
    const long = keysFromLines(utf8(`\ufeff${'x'.repeat(3_000_000)}\r\n${'y'.repeat(200_000)}`));
    expect(long.length).toBe(2);
    expect([...hashKeys(long)]).toEqual([
      ...hashKeys(['x'.repeat(3_000_000), 'y'.repeat(200_000)]),
    ]);
  });

  test('packed keys travel by structuredClone', () => {
    const packed = keysFromLines(utf8('one\ntwo\nthree'));
    const copy = structuredClone(packed);
    expect(lines(copy)).toEqual(['one', 'two', 'three']);
    expect([...hashKeys(copy)]).toEqual([...hashKeys(['one', 'two', 'three'])]);
  });

  test('packed keys made by hand are checked before they are read', () => {
    const bytes = utf8('abcdef');
    const packed = (starts: number[], ends: number[], length = starts.length): PackedKeys => ({
      bytes,
      starts: Uint32Array.from(starts),
      ends: Uint32Array.from(ends),
      length,
    });
    const filter = new BloomFilter({ capacity: 10 });
    expect(filter.addMany(packed([0, 2, 2], [2, 2, 6]))).toBe(3);
    expect(filter.hasMany(['ab', '', 'cdef'])).toEqual(Uint8Array.of(1, 1, 1));
    const before = filter.toBytes();
    const wrong = [
      packed([0], [7]),
      packed([4], [3]),
      packed([7], [7]),
      packed([2 ** 32 - 1], [1]),
      packed([0], [2 ** 32 - 1]),
      packed([0, 1], [1]),
      packed([0], [1], 2),
      packed([0], [1], -1),
      packed([0], [1], 0.5),
      packed([0], [1], NaN),
    ];
    for (const source of wrong) {
      thrownBy(() => filter.addMany(source));
      thrownBy(() => filter.hasMany(source));
      thrownBy(() => hashKeys(source));
    }
    filter.validate();
    expect(filter.toBytes()).toEqual(before);
  });

  test('packed keys whose parts change while they are read', () => {
    const filter = new BloomFilter({ capacity: 10 });
    for (const part of ['bytes', 'starts', 'ends', 'length'] as const) {
      const honest = keysFromLines(utf8('one\ntwo\nthree'));
      const later = {
        bytes: new Uint8Array(1),
        starts: new Uint32Array(1),
        ends: 'no',
        length: 99,
      };
      let reads = 0;
      const changing = Object.defineProperty({ ...honest }, part, {
        get: () => (reads++ === 0 ? honest[part] : later[part]),
      });
      try {
        filter.hasMany(changing);
      } catch (error) {
        expect(isDocumented(error)).toBe(true);
      }
      filter.validate();
    }
  });

  test('what is no bytes', () => {
    for (const wrong of [undefined, null, 'a\nb', 7, [97], {}, new Uint16Array(2)]) {
      expect(thrownBy(() => keysFromLines(wrong as unknown as Uint8Array))).toBeInstanceOf(
        TypeError,
      );
    }
  });
});

describe('keyBatchesFrom', () => {
  async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (let i = 0; at < bytes.length; i++) {
      const size = sizes[i % sizes.length] as number;
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  async function collect(source: AsyncIterable<PackedKeys>): Promise<string[]> {
    const out: string[] = [];
    for await (const packed of source) {
      if (packed.length === 0) throw new Error('a pack without a line');
      out.push(...asLatin1(packed));
    }
    return out;
  }

  test('property: the lines do not depend on the chunks', async () => {
    const noise = fc.string({
      unit: fc.constantFrom('a', 'b', '\n', '\n', '\r', '\u00ef', '\u00bb', '\u00bf'),
      maxLength: 80,
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(noise, fc.boolean(), sizes, async (text, bom, chunkSizes) => {
        const bytes = latin1((bom ? '\u00ef\u00bb\u00bf' : '') + text);
        const whole = asLatin1(keysFromLines(bytes));
        expect(await collect(keyBatchesFrom(cut(bytes, chunkSizes)))).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  test('a web stream, empty chunks, a line longer than many chunks, another separator', async () => {
    const text = `${'x'.repeat(200_000)}\nb\r\n\u00e9`;
    const stream = new Blob([utf8(text)]).stream();
    expect(await collect(keyBatchesFrom(stream, { maxLineBytes: 200_000 }))).toEqual([
      'x'.repeat(200_000),
      'b',
      '\u00c3\u00a9',
    ]);
    async function* sparse(): AsyncGenerator<Uint8Array> {
      for (const piece of ['', 'a', '', ';b', ';', '', 'c']) yield utf8(piece);
    }
    expect(await collect(keyBatchesFrom(sparse(), { separator: 59 }))).toEqual(['a', 'b', 'c']);
    expect(await collect(keyBatchesFrom(cut(new Uint8Array(0), [1])))).toEqual([]);
  });

  test('property: a line is too long or not, whatever the chunks', async () => {
    const noise = fc.string({ unit: fc.constantFrom('a', 'a', 'a', '\n', '\r'), maxLength: 40 });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
    const max = fc.integer({ min: 1, max: 8 });
    await fc.assert(
      fc.asyncProperty(noise, fc.boolean(), sizes, max, async (text, bom, chunkSizes, most) => {
        const bytes = latin1((bom ? '\u00ef\u00bb\u00bf' : '') + text);
        const whole = asLatin1(keysFromLines(bytes));
        const found = await collect(
          keyBatchesFrom(cut(bytes, chunkSizes), { maxLineBytes: most }),
        ).catch(({ code }) => code);
        const isLong = whole.some(({ length }) => length > most);
        expect(found).toEqual(isLong ? 'ERR_TAMIS_TOO_LARGE' : whole);
      }),
      { numRuns: 500 },
    );
  });

  test('a line without an end is TOO_LARGE, and is not read on', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield utf8('ant\nbee\n');
      for (; read < 100; read++) yield new Uint8Array(10_000).fill(97);
    }
    const filter = new BloomFilter({ capacity: 10 });
    const error = await rejection(filter.addFrom(keyBatchesFrom(endless())));
    expect(error).toMatchObject({ code: 'ERR_TAMIS_TOO_LARGE' });
    expect(error.message).toMatch(/65536 bytes.*maxLineBytes/);
    expect(read).toBe(6);
    // The lines before the long one are in the filter, and no part of the long one is.
    expect([filter.has('ant'), filter.has('bee'), filter.count]).toEqual([true, true, 2]);
    const whole = cut(utf8('x'.repeat(65_536)), [50_000]);
    expect((await collect(keyBatchesFrom(whole))).map(({ length }) => length)).toEqual([65_536]);
    for (const maxLineBytes of [0, 1.5, Infinity]) {
      const wrong = keyBatchesFrom(endless(), { maxLineBytes }).next();
      expect(await rejection(wrong)).toBeInstanceOf(RangeError);
    }
  });

  test.each([
    ['', new Uint8Array(6)],
    [' of Node', Buffer.alloc(6)],
  ])('packs stay good when the source uses its buffer%s again', async (_, buffer) => {
    async function* reused(): AsyncGenerator<Uint8Array> {
      for (const piece of ['ab\ncd\n', 'ef\ngh\n', 'ijk\nlm', 'nopqrs', 't\nuvwx']) {
        buffer.set(utf8(piece));
        yield buffer;
      }
      buffer.fill(0);
    }
    const packs: PackedKeys[] = [];
    for await (const packed of keyBatchesFrom(reused())) packs.push(packed);
    const lines = ['ab', 'cd', 'ef', 'gh', 'ijk', 'lmnopqrst', 'uvwx'];
    expect(packs.flatMap(asLatin1)).toEqual(lines);
  });

  test('stopping early lets the source go', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield utf8('a\nb\n');
      } finally {
        closed = true;
      }
    }
    for await (const packed of keyBatchesFrom(source())) {
      expect(packed.length).toBeGreaterThan(0);
      break;
    }
    expect(closed).toBe(true);
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(utf8('a\nb\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const packed of keyBatchesFrom(stream)) {
      expect(packed.length).toBeGreaterThan(0);
      break;
    }
    expect(cancelled).toBe(true);
  });

  test('chunks that are no bytes, and sources that are none', async () => {
    async function* texts(): AsyncGenerator<string> {
      yield 'a\nb';
    }
    for (const wrong of [texts(), undefined, null, 7, 'text', {}]) {
      const error = await rejection(
        (async () => collect(keyBatchesFrom(wrong as unknown as AsyncIterable<Uint8Array>)))(),
      );
      expect(error).toBeInstanceOf(TypeError);
    }
  });
});

describe('linesFrom', () => {
  async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  async function collect(source: AsyncIterable<string>): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of source) lines.push(line);
    return lines;
  }

  test('yields the lines as strings, for any chunks', async () => {
    const bytes = utf8('\ufeffant\r\n\n\u6f22\u{1f41d}\n\ufeffcat\r\n dog ');
    for (const size of [1, 2, 5, 1000]) {
      const lines = await collect(linesFrom(pieces(bytes, size)));
      // Only the first line may have a byte order mark that is none of it.
      expect(lines).toEqual(['ant', '\u6f22\u{1f41d}', '\ufeffcat', ' dog ']);
      expect(BloomFilter.from(lines).hasMany(keysFromLines(bytes))).toEqual(
        new Uint8Array(4).fill(1),
      );
    }
    expect(await collect(linesFrom(pieces(utf8('a;b'), 2), { separator: 59 }))).toEqual(['a', 'b']);
  });

  test('a line that is not UTF-8 is refused, after the lines before it', async () => {
    const seen: string[] = [];
    const reading = (async () => {
      for await (const line of linesFrom(pieces(latin1('ant\nbe\u00e9\ncat\n'), 99)))
        seen.push(line);
    })();
    const { code, message } = await rejection(reading);
    expect([seen, code]).toEqual([['ant'], 'ERR_TAMIS_INVALID_KEY']);
    expect(message).toMatch(/linesFrom: .*keyBatchesFrom/);
  });

  test('its errors have its name', async () => {
    const long = linesFrom(pieces(utf8('x'.repeat(9)), 9), { maxLineBytes: 4 });
    expect((await rejection(collect(long))).message).toMatch(/^linesFrom: /);
    const wrong = linesFrom(new Response('a') as never);
    expect((await rejection(collect(wrong))).message).toMatch(
      /^linesFrom: .* such as response\.body, got Response$/,
    );
  });

  test('an abort ends it within a chunk', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const seen: string[] = [];
    const reading = (async () => {
      const source = pieces(utf8('a\nb\nc\n'), 99);
      for await (const line of linesFrom(source, { signal: controller.signal })) {
        seen.push(line);
        if (line === 'b') controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(seen).toEqual(['a', 'b']);
  });
});
