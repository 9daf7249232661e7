/** Other content in the place of a structure's bytes. The error of every path names it, and says what to do. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as read from 'tamis/read';
import { UrlList } from 'tamis/url';

import { expectCode, expectOption, rejection } from './support/errors.js';
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
  (bytes) => read.open(bytes, [read.RibbonFilter]),
  (bytes) => read.openAny(bytes),
];

describe('NOT_TAMIS says what came', () => {
  const page = 'HTML: look at response.ok and the address';
  test.each<[whole: string, ofReader: string, ...samples: (string | Uint8Array)[]]>([
    ['no bytes', 'no bytes', '', ' \r\n'],
    [page, 'HTML', '<!doctype html><title>404</title>', '\n  <html>'],
    ['JSON', 'JSON', '{"error":"not found"}', ' [1, 2]'],
    ['gzip', 'gzip', gzipSync(bloomBytes)],
    ['text', '"Not foun"', 'Not found', 'Not found: \u6f22\u{1f41d}'],
    ['text', '"404"', '404'],
    ['hex 54,4d,53,d,a,1a,a,1', String.raw`"TMS\r\n\u001a\n\u0001"`, bloomBytes.subarray(1)],
    [
      'hex 50,4b,3,4,0,0,0,0',
      String.raw`"PK\u0003\u0004\u0000\u0000\u0000\u0000"`,
      Uint8Array.of(80, 75, 3, 4, 0, 0, 0, 0, 9),
    ],
  ])('%s', async (whole, ofReader, ...samples) => {
    for (const sample of samples) {
      const bytes = typeof sample === 'string' ? utf8(sample) : sample;
      for (const load of loads) {
        const { message } = expectCode(() => load(bytes as never), 'NOT_TAMIS');
        expect(message).toBe(`expected the bytes of toBytes: ${whole}`);
      }
      for (const load of readers) {
        const { message } = expectCode(() => load(bytes as never), 'NOT_TAMIS');
        expect(message).toBe(`expected toBytes, got ${ofReader}; see response.ok`);
      }
      const source = () => new Blob([bytes as never, new Uint8Array(64)]).stream();
      if (bytes.length < 64) continue;
      const streamed = await rejection(tamis.fromStream(source()));
      expect(streamed.message).toBe(`expected the bytes of toBytes: ${whole}`);
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

describe('what has its bytes later is named', () => {
  const response = () => new Response(bloomBytes);
  test('in tamis', async () => {
    for (const load of loads) {
      const ofPromise = expectOption(() => load(Promise.resolve(bloomBytes) as never), TypeError);
      expect(ofPromise.message).toMatch(/got a Promise: await it$/);
      const ofResponse = expectOption(() => load(response() as never), TypeError);
      expect(ofResponse.message).toMatch(/got a Response: use its body$/);
    }
    const filter = new tamis.BloomFilter({ capacity: 1 });
    const aResponse = 'a Response: use its body';
    for (const [load, got] of [
      [() => tamis.fromStream(Promise.resolve(response()) as never), 'a Promise: await it'],
      [() => UrlList.fromStream(response() as never), aResponse],
      [() => filter.addFrom(response() as never), aResponse],
      [() => filter.addFrom({ body: 'x' } as never), 'a value of type object'],
    ] as const) {
      expect((await rejection(load())).message.split(', got ')).toEqual([expect.anything(), got]);
    }
  });

  test('in tamis/read', async () => {
    const advice = 'await it, or use fromStream(response.body)';
    const given = { Promise: Promise.resolve(bloomBytes), Response: response() };
    for (const [name, value] of Object.entries(given)) {
      const said = `expected bytes, got [object ${name}]: ${advice}`;
      for (const load of readers) {
        expect(expectOption(() => load(value as never), TypeError).message).toBe(said);
      }
      expect((await rejection(read.fromStream(value as never, [read.BloomFilter]))).message).toBe(
        said,
      );
    }
  });
});
