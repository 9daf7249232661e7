/** Other content in the place of a structure's bytes. The error of every path names it, and says what to do. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { readFeed } from 'tamis/feeds';
import * as interop from 'tamis/interop';
import * as read from 'tamis/read';
import { UrlList } from 'tamis/url';

import { expectCode, expectOption, rejection, thrownBy } from './support/errors.js';
import { utf8 } from './support/keys.js';

const bloomBytes = tamis.BloomFilter.from(['ant']).toBytes();

type Load = (bytes: never) => unknown;
const loads: readonly Load[] = [
  (bytes) => tamis.BloomFilter.fromBytes(bytes),
  (bytes) => tamis.fromBytes(bytes),
  (bytes) => UrlList.fromBytes(bytes),
];
const readers: readonly Load[] = [
  (bytes) => read.BloomFilter.fromBytes(bytes),
  (bytes) => read.fromBytesOf([read.RibbonFilter], bytes),
  (bytes) => read.fromBytes(bytes),
];

describe('NOT_TAMIS says what came', () => {
  test.each<[content: string, ...samples: (string | Uint8Array)[]]>([
    ['no bytes', '', ' \r\n'],
    ['HTML', '<!doctype html><title>404</title>', '\n  <html>'],
    ['JSON', '{"error":"not found"}', ' [1, 2]'],
    ['gzip', gzipSync(bloomBytes)],
    ['"\u00ef\u00bf\u00bdTMS\\r\\n"', Buffer.from(Buffer.from(bloomBytes).toString('utf8'))],
    ['"Not foun"', 'Not found', 'Not found: \u6f22\u{1f41d}'],
    ['"404"', '404'],
    [String.raw`"TMS\r\n\u001a\n\u0001"`, bloomBytes.subarray(1)],
  ])('%s', async (content, ...samples) => {
    const end = `, got ${content}; check response.ok and the URL`;
    for (const sample of samples) {
      const bytes = typeof sample === 'string' ? utf8(sample) : sample;
      for (const load of loads) {
        const { message } = expectCode(() => load(bytes as never), 'NOT_TAMIS');
        expect(message).toBe(`expected the bytes of toBytes${end}`);
      }
      for (const load of readers) {
        const { message } = expectCode(() => load(bytes as never), 'NOT_TAMIS');
        expect(message).toBe(`expected the bytes of toBytes${end}`);
      }
      const source = () => new Blob([bytes as never, new Uint8Array(64)]).stream();
      if (bytes.length < 64) continue;
      const streamed = await rejection(tamis.fromStream(source()));
      expect(streamed.message).toBe(`expected the bytes of toBytes${end}`);
    }
  });

  test('an error page that comes as a stream, too', async () => {
    const { body } = new Response('<!doctype html>'.padEnd(500, ' '));
    const { code, message } = await rejection(tamis.fromStream(body as never));
    expect([code, message]).toEqual([
      'ERR_TAMIS_NOT_TAMIS',
      expect.stringContaining('response.ok'),
    ]);
  });
});

const response = () => new Response(bloomBytes);
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const base64 = Buffer.from(bloomBytes).toString('base64');
const transferred = bloomBytes.slice().buffer;
structuredClone(transferred, { transfer: [transferred] });

describe('what is not bytes is named, with its cure', () => {
  const json = 'JSON.stringify loses a filter, and changes bytes: store toBytes() as base64';
  test.each<[got: string, ofReader: string, cure: string, make: () => unknown]>([
    ['a Promise: await it', 'Promise', '; pass await', () => Promise.resolve(bloomBytes)],
    ['Response', 'Response', '; pass await response.arrayBuffer()', response],
    ['ReadableStream', 'ReadableStream', '; use fromStream', () => response().body],
    [`a string of length ${base64.length}`, 'String', '; decode base64', () => base64],
    ['Set', 'Set', '; use `from` for keys', () => new Set(['ant'])],
    ['Array', 'Array', '; use `from` for keys', () => ['ant']],
    ['Object', 'Object', `; ${json}`, () => throughJson(Buffer.from(bloomBytes))],
    ['Object', 'Object', `; ${json}`, () => throughJson(bloomBytes)],
    ['null', 'Null', '', () => null],
    ['7', 'Number', '', () => 7],
    ['ArrayBuffer', 'ArrayBuffer', '; this one was transferred', () => transferred],
    ['DataView', 'DataView', '', () => new DataView(bloomBytes.buffer)],
    ['constructor', 'constructor', '', () => ({ [Symbol.toStringTag]: 'constructor' })],
  ])('%s', (got, ofReader, cure, make) => {
    const expectEnd = (load: Load, of: string) => {
      const { message } = expectOption(() => load(make() as never), TypeError);
      const [, end = ''] = message.split('a Uint8Array or an ArrayBuffer, got ');
      expect(end.slice(0, of.length + cure.length)).toBe(of + cure);
      if (cure === '') expect(end).toBe(of);
    };
    for (const load of loads) expectEnd(load, got);
    for (const load of readers) expectEnd(load, ofReader);
  });

  test('what the cures give is right', () => {
    const { bytes } = throughJson({ bytes: base64 }) as { bytes: string };
    expect(tamis.fromBytes(Buffer.from(bytes, 'base64')).has('ant')).toBe(true);
  });
});

describe('what is no stream is named, with the cure of the function', () => {
  const filter = new tamis.BloomFilter({ capacity: 9 });
  const ofReader = (stream: never) => read.fromStream(stream);
  const ofBytes: Record<string, Load> = {
    'BloomFilter.fromStream': (stream) => tamis.BloomFilter.fromStream(stream),
    fromStream: (stream) => tamis.fromStream(stream),
    'UrlList.fromStream': (stream) => UrlList.fromStream(stream),
    keyBatchesFrom: (stream) => tamis.keyBatchesFrom(stream).next(),
    linesFrom: (stream) => tamis.linesFrom(stream).next(),
    readFeed: async (stream) => readFeed(stream),
  };
  const ofKeys: Record<string, Load> = {
    addFrom: (source) => filter.addFrom(source),
    fromAsync: (source) => tamis.RibbonFilter.fromAsync(source),
  };
  const expectEnds = async (load: Load, values: readonly [unknown, string][]) => {
    for (const [value, end] of values) {
      const { code, message } = await rejection(load(value as never) as Promise<unknown>);
      expect(code).toBe('ERR_TAMIS_INVALID_OPTION');
      expect(message.slice(-end.length)).toBe(end);
    }
  };

  test.each(Object.entries(ofBytes))('%s', async (_name, load) => {
    await expectEnds(load, [
      [Promise.resolve(response()), ', such as response.body, got a Promise: await it'],
      [response(), ', such as response.body, got Response'],
      [bloomBytes, ', got Uint8Array'],
      [null, ', got null'],
    ]);
  });

  test.each(Object.entries(ofKeys))('%s', async (_name, load) => {
    await expectEnds(load, [
      [response(), ', such as keyBatchesFrom(response.body), got Response'],
      [['ant'], ', got Array'],
    ]);
    const { message } = await rejection(load(response().body as never) as Promise<unknown>);
    expect(message).toMatch(/ is a stream of bytes; pass keyBatchesFrom\(stream\)/);
  });

  test('tamis/read', async () => {
    await expectEnds(ofReader, [
      [Promise.resolve(response()), 'such as response.body, got Promise'],
      ['x', 'such as response.body, got String'],
      [null, 'such as response.body, got Null'],
    ]);
  });
});

describe('other content in the place of the file of another library', () => {
  const page = '<!doctype html><html><title>Not found</title><p>This page is gone.</p></html>';
  const contents = {
    HTML: utf8(page),
    JSON: utf8(JSON.stringify({ error: 'not found', status: 404, path: '/filters/a.bin' })),
    gzip: gzipSync(page),
    'bytes of toBytes: use fromBytes': tamis.BloomFilter.from(['alice']).toBytes(),
  };
  // A Redis string and the buckets of Go's cuckoo filter have no header: nearly all bytes are one.
  const { redisBitmap, goCuckoo, encodings, ForeignFilter, ...codecs } = interop;
  test.each(Object.entries(codecs))('%s', (name, codec) => {
    for (const [content, bytes] of Object.entries(contents)) {
      if (content === 'JSON' && /Json$/.test(name)) continue;
      const { message } = thrownBy(() => codec.decode(bytes as never));
      const end = `; the data looks like ${content}`;
      expect(message.slice(-end.length)).toBe(end);
    }
  });

  test('text of HTML, and a file that was read as text', () => {
    const texts = [interop.goBloom, interop.bloomFiltersJson, interop.bloomfilterJson];
    for (const codec of texts) {
      const { message } = expectCode(() => codec.decode(page), 'CORRUPT');
      expect(message).toMatch(/; the data looks like HTML/);
    }
    const filter = interop.guava.create({ capacity: 100, fpr: 0.01 });
    filter.addMany(Array.from({ length: 100 }, (_, i) => `key ${i}`));
    const bytes = Buffer.from(Buffer.from(interop.guava.encode(filter)).toString('utf8'));
    const { message } = thrownBy(() => interop.guava.decode(bytes));
    expect(message).toMatch(/; the data looks like bytes read as text$/);
  });

  test('chunks that a Redis client decoded as text', () => {
    const filter = interop.redisBloom.create({ capacity: 1000, fpr: 0.01 });
    filter.addMany(Array.from({ length: 900 }, (_, i) => `key ${i}`));
    const chunks = interop.redisBloom.encode(filter);
    const asText = ([at, bytes]: (typeof chunks)[number]) =>
      [at, Buffer.from(bytes).toString('utf8')] as const;
    const asBytes = ([at, text]: readonly [number, string]) => [at, Buffer.from(text)] as const;
    const [header, ...tables] = chunks as [(typeof chunks)[number]];
    const strings = chunks.map(asText);
    const ofStrings = expectOption(() => interop.redisBloom.decode(strings as never), TypeError);
    expect(ofStrings.message).toMatch(/^redisbloom: chunk 0: the Redis client decoded it as text/);
    const dump = [header, ...tables.map(asText).map(asBytes)];
    const ofBytes = expectCode(() => interop.redisBloom.decode(dump), 'CORRUPT');
    expect(ofBytes.message).toMatch(
      /expected 2\d+; the Redis client decoded it as text; .*callBuffer/,
    );
    // Without such bytes, a chunk is missing.
    const { message } = expectCode(() => interop.redisBloom.decode([header, header]), 'CORRUPT');
    expect(message).toMatch(/a chunk is missing, or out of order/);
    const ofText = () => interop.redisBloom.decode(chunks.map(asText).map(asBytes));
    expect(thrownBy(ofText).message).toMatch(/as text/);
  });
});
