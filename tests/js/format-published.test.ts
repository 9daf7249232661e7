/** cpp/FORMAT.md on lists of URLs: its example by the package, and by the reader in Python. */

import { spawnSync } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  createConfirmHandler,
  expressions,
  hashExpression,
  type PublishOptions,
  publishList,
  UrlChecker,
  UrlList,
  UrlListBuilder,
  verifyManifest,
} from 'tamis/url';

import { rejection } from './support/errors.js';
import { FORMAT } from './support/format.js';
import { run } from './support/python.js';
import { seams } from './support/seams.js';
import { BASE, CONFIRM, DAY, hex, START, sha256, TestStorage } from './support/url-publisher.js';

const root = new URL('../../', import.meta.url);

/** The block that the test reads as that. */
function block(name: string): string {
  const [, after] = FORMAT.split(`<!-- The test reads this as the ${name}. -->\n`);
  return /^\n```text\n([^`]*)\n```\n/.exec(after as string)?.[1] as string;
}
const bytesIn = (name: string): Buffer => Buffer.from(block(name).replaceAll('\n', ''), 'hex');
/** The value of a row of the example's first table. */
const value = (what: string): string => {
  const [, rest] = FORMAT.split(`\n| ${what} | \``);
  return (rest as string).slice(0, rest?.indexOf('`'));
};

const publicKey = value('public key');
// PKCS #8 of RFC 8410 around the secret.
const pkcs8 = Buffer.from(`302e020100300506032b657004220420${value('secret key')}`, 'hex');
const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);

const lists = [['evil.example'], ['evil.example', 'bad.example']].map((hosts) => {
  const builder = new UrlListBuilder({ rule: 'labels5' }).addHosts(hosts);
  return { list: builder.build(), fullHashes: builder.fullHashes };
});
const [older, newer] = lists as [(typeof lists)[0], (typeof lists)[0]];
const hour = 3_600_000;
const nowMs = START + hour;
const { files } = await publishBoth({ jumps: 0 });

async function publishBoth(more: Partial<PublishOptions>): Promise<TestStorage> {
  const storage = new TestStorage();
  const keys = { privateKey, publicKey };
  let ms = START;
  for (const { list } of lists) {
    await publishList(list, {
      name: 'phish',
      storage,
      signingKeys: keys,
      ...seams({ now: () => ms }),
      ...more,
    });
    ms += hour;
  }
  return storage;
}

/** A client of the newer list, and of a confirm server that answers so. */
function openChecker(answer: (request: Request) => Promise<Response>): Promise<UrlChecker> {
  return UrlChecker.open(`${BASE}manifest.json`, {
    name: 'phish',
    publicKeys: [publicKey],
    storage: 'memory',
    confirm: CONFIRM,
    whenMissing: 'throw',
    whenUnconfirmed: 'throw',
    updateEveryMs: 0,
    ...seams({ now: () => nowMs }),
    fetch: async (url, init) => {
      if (url === CONFIRM) return answer(new Request(url, init));
      return new Response(files.get(url.slice(BASE.length))?.slice());
    },
  });
}

afterAll(() => {
  for (const { list } of lists) list.dispose();
});

describe('the example', () => {
  test('its hashes and identities', () => {
    for (const expression of ['evil.example/', 'bad.example/']) {
      expect(value(`SHA-256 of \`${expression}\``)).toBe(hex(hashExpression(expression)));
    }
    expect(value('identity of the first list')).toBe(hex(older.list.identity));
    expect(value('identity of the second list')).toBe(hex(newer.list.identity));
    const id = sha256(Buffer.from(publicKey, 'hex')).slice(0, 16);
    expect(value('`keyId`')).toBe(id);
  });

  test('its expressions', () => {
    const hosts = ['a.evil.example', 'evil.example'];
    const paths = ['/x/y?z', '/x/y', '/', '/x/'];
    const all = hosts.flatMap((host) => paths.map((path) => host + path));
    expect(expressions('http://a.evil.example/x/y?z').sort()).toEqual(all.sort());
  });

  test('its files are those of publishList, named by their content', () => {
    for (const kind of ['snapshot', 'delta']) {
      const bytes = bytesIn(kind);
      const found = files.get(`${kind}-${sha256(bytes)}.tamis`) as Uint8Array;
      expect(hex(found)).toBe(hex(bytes));
    }
    expect(Buffer.from(files.get('manifest.json') as Uint8Array).toString()).toBe(
      block('manifest'),
    );
  });

  test('with jumps a member more is signed', async () => {
    const { files: withJumps } = await publishBoth({});
    const name = value('URL of the jump');
    expect(hex(withJumps.get(name) as Uint8Array)).toBe(block('delta').replaceAll('\n', ''));
    const sig = value('`sig` of the second manifest with jumps');
    const manifest = { ...JSON.parse(block('manifest')), jumps: 'jump-', sig };
    const text = Buffer.from(withJumps.get('manifest.json') as Uint8Array).toString();
    expect(JSON.parse(text)).toEqual(manifest);
    const options = { publicKeys: [publicKey], nowMs };
    expect(await verifyManifest(manifest, options)).toEqual(manifest);
  });

  test('the signature is of the signed text', () => {
    const x = Buffer.from(publicKey, 'hex').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const { sig } = JSON.parse(block('manifest'));
    const signed = Buffer.from(block('signed text'));
    expect(verify(null, signed, key, Buffer.from(sig, 'hex'))).toBe(true);
  });

  test('its question and its answer are those of a client and a confirm server', async () => {
    const handle = createConfirmHandler(newer.fullHashes, {
      cacheSeconds: 300,
      negativeSeconds: 1800,
    });
    const asked: Request[] = [];
    const bodies: string[] = [];
    const checker = await openChecker(async (request) => {
      asked.push(request.clone());
      const response = await handle(request);
      bodies.push(hex(new Uint8Array(await response.clone().arrayBuffer())));
      return response;
    });
    try {
      const answer = await checker.verify('http://bad.example/');
      expect(answer).toEqual({ verdict: 'unsafe', from: 'server' });
    } finally {
      checker.close();
    }
    expect(asked).toHaveLength(1);
    const { method, headers, credentials, cache } = asked[0] as Request;
    expect([method, [...headers], credentials, cache]).toEqual(['POST', [], 'omit', 'no-store']);
    expect(hex(new Uint8Array(await (asked[0] as Request).arrayBuffer()))).toBe(block('question'));
    expect(bodies).toEqual([bytesIn('answer').toString('hex').padEnd(2048, '0')]);
  });

  test('the delta leads from the first list to the second', () => {
    expect(UrlList.fromBytes(bytesIn('snapshot')).identity).toEqual(newer.list.identity);
    expect(hex(newer.list.diff(older.list).toBytes())).toBe(hex(bytesIn('delta')));
  });
});

/** Returns the value of a Python expression for each `data`, or the code that it exits with. */
function python(expression: string, texts: readonly string[]): string[] {
  const program = [
    'from read_published import *',
    `keys = [bytes.fromhex('${publicKey}')]`,
    "for line in sys.stdin.read().split('\\n'):",
    '    data = bytes.fromhex(line)',
    '    try:',
    `        print(${expression})`,
    '    except SystemExit as end:',
    '        print(end.code)',
  ].join('\n');
  return run(program, texts);
}

const hexOf = (text: string): string => Buffer.from(text).toString('hex');

describe('the reader in Python', () => {
  const vector = JSON.parse(
    readFileSync(new URL('tests/vectors/url/manifest.json', root), 'utf8'),
  ) as { manifest: object; signed: string };
  const read = (texts: readonly string[]) =>
    python('open_manifest(data, keys)[0].hex()', texts.map(hexOf));

  test('finds the bytes that were signed', () => {
    const texts = [block('manifest'), JSON.stringify(vector.manifest, null, 2)];
    expect(read(texts)).toEqual([block('signed text'), vector.signed].map(hexOf));
  });

  test('writes numbers as ECMAScript', () => {
    const numbers = [0, -0, 1, -1.5, 1e20, 1e21, 123456789012345680000, 1.2345e25, 5e-324];
    numbers.push(0.000001, 1.5e-7, 0.1, 1 / 3, 2 ** 53, 1.7976931348623157e308, 100, 1e-10);
    const written = python(
      'canonical(json.loads(data, parse_int=float))',
      numbers.map((one) => hexOf(String(one))),
    );
    expect(written).toEqual(numbers.map((one) => JSON.stringify(one)));
  });

  test('refuses what the package refuses, with its error', async () => {
    const manifest = JSON.parse(block('manifest'));
    const { snapshot } = manifest;
    const changed = [
      { seq: 3 },
      { notAfter: '2036-11-29T01:00:00.000Z' },
      { snapshot: { ...snapshot, bytes: 154 } },
      { more: 'x' },
      { sig: undefined },
      { sig: `00${manifest.sig.slice(2)}` },
      { sig: manifest.sig.toUpperCase() },
      { keyId: '0000000000000000' },
      { keyId: 7 },
    ].map((more) => JSON.stringify({ ...manifest, ...more }));
    const deep = (levels: number) =>
      block('manifest').replace('{', `{"deep":${'['.repeat(levels)}${']'.repeat(levels)},`);
    const whole = block('manifest');
    const named = (levels: number) =>
      whole.replace('{', `{"deep":${'{"x":'.repeat(levels)}7${'}'.repeat(levels)},`);
    const texts = [
      ...changed,
      ...['', 'null', '[]', '{}', whole.slice(1), `${whole}x`, `[${whole}]`],
      ...['NaN', '1e999', '"\\ud800"', '"\ud83d\ude00"', '{"\\ud800":1}'].map((odd) =>
        whole.replace('{', `{"odd":${odd},`),
      ),
      deep(32),
      deep(33),
      named(31),
      named(32),
      whole + ' '.repeat(2 ** 21),
    ];
    const codes: string[] = [];
    for (const text of texts) {
      codes.push((await rejection(verifyManifest(text, { publicKeys: [publicKey], nowMs }))).code);
    }
    expect(read(texts)).toEqual(codes);
    expect(new Set(codes)).toEqual(
      new Set(['ERR_TAMIS_CORRUPT', 'ERR_TAMIS_BAD_SIGNATURE', 'ERR_TAMIS_TOO_LARGE']),
    );
  });

  test('takes the fields that the package takes', async () => {
    const fields = JSON.parse(block('signed text').split('\n')[1] as string);
    const { snapshot, deltas } = fields;
    const late = (time: string) => ({ notAfter: `2027-${time}Z` });
    const wrong = [
      ...['', 'x'.repeat(65), 'a\n', 7].map((list) => ({ list })),
      ...[0, 1.5, 2 ** 53, '2', null].map((seq) => ({ seq })),
      ...[5, 64, '4'].map((prefixBytes) => ({ prefixBytes })),
      ...[-1, true].map((n) => ({ n })),
      ...['2026-11-22', '2026-11-22T01:00:00Z', '\uff12026-11-22T01:00:00.000Z', 0].map(
        (created) => ({
          created,
        }),
      ),
      ...['02-30T00:00:00.000', '01-01T24:00:00.000', '01-01T00:00:60.000'].map(late),
      { notAfter: fields.created },
      { hash: 'sha1' },
      { sha256: fields.sha256.toUpperCase() },
      ...[null, [], { ...snapshot, bytes: -1 }, { ...snapshot, url: 'a b' }].map((one) => ({
        snapshot: one,
      })),
      ...[{}, [snapshot], [null], Array(4097).fill(deltas[0])].map((one) => ({ deltas: one })),
    ];
    const right = [
      { list: ' ~' },
      { seq: 2 ** 53 - 1 },
      { prefixBytes: 32 },
      { notAfter: '9999-12-31T23:59:59.999Z' },
      { deltas: [] },
      { deltas: Array(4096).fill(deltas[0]) },
      // Readers that know nothing of jumps take each of these.
      ...['jump-', '', 'j'.repeat(513), 'a b', 7, null, []].map((jumps) => ({ jumps })),
    ];
    const sign = async (more: object): Promise<string> => {
      const members = Object.entries({ ...fields, ...more });
      const unsigned = Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
      const bytes = new TextEncoder().encode(`tamis-manifest-1\n${JSON.stringify(unsigned)}`);
      const sig = hex(new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, bytes)));
      return JSON.stringify({ ...unsigned, sig });
    };
    const options = { publicKeys: [publicKey], nowMs };
    const texts = await Promise.all([...wrong, ...right].map(sign));
    const said = await Promise.all(
      texts.map((text) =>
        verifyManifest(text, options).then(
          () => 'taken',
          ({ code }) => code,
        ),
      ),
    );
    const expected = [...wrong.map(() => 'ERR_TAMIS_CORRUPT'), ...right.map(() => 'taken')];
    expect(said).toEqual(expected);
    const found = python("open_manifest(data, keys) and 'taken'", texts.map(hexOf));
    expect(found).toEqual(expected);
  });

  test('knows the signatures of a key', async () => {
    const { vectors } = JSON.parse(
      readFileSync(new URL('tests/vectors/url/signatures.json', root), 'utf8'),
    ) as { vectors: { publicKey: string; message: string; signature: string; valid: boolean }[] };
    const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
    const ofPlatform = vectors.map(async (one) => {
      const key = bytesOf(one.publicKey);
      try {
        const trusted = await crypto.subtle.importKey('raw', key, 'Ed25519', true, ['verify']);
        const [signature, message] = [one.signature, one.message].map(bytesOf);
        return await crypto.subtle.verify('Ed25519', trusted, signature as never, message as never);
      } catch {
        return false; // some platforms import no key that is no point
      }
    });
    const valid = vectors.map((one) => one.valid);
    expect(await Promise.all(ofPlatform)).toEqual(valid);
    const found = run(
      [
        'from read_published import verifies',
        'for line in sys.stdin:',
        '    print(verifies(*[bytes.fromhex(one) for one in line.split()]))',
      ].join('\n'),
      vectors.map((one) => [one.publicKey, one.signature, one.message].join(' ')),
    );
    expect(found).toEqual(valid.map((one) => (one ? 'True' : 'False')));
  });

  test('reads the answers that the package reads, and no other', async () => {
    const bad = value('SHA-256 of `bad.example/`');
    const ofPackage = async (bytes: Uint8Array<ArrayBuffer>) => {
      const checker = await openChecker(async () => new Response(bytes));
      try {
        return (await checker.verify('http://bad.example/')).verdict;
      } catch (error) {
        const { cause } = error as Error;
        expect(cause).toHaveProperty('code', expect.stringMatching(/CORRUPT|TOO_LARGE/));
        return 'ERR_TAMIS_CORRUPT';
      } finally {
        checker.close();
      }
    };
    const answer = Uint8Array.from(Buffer.concat([bytesIn('answer')], 1024));
    const at = (place: number, byte: number) => answer.with(place, byte);
    const longer = (bytes: number) => Uint8Array.from(Buffer.concat([answer], bytes));
    /** A list with this number of hashes. The last one is the hash of the URL. */
    const answerOf = (count: number) => {
      const bytes = new Uint8Array(Math.ceil((12 + 32 * count) / 1024) * 1024);
      bytes.set(answer.subarray(0, 8));
      const view = new DataView(bytes.buffer);
      view.setUint32(8, count, true);
      for (let i = 1; i <= count; i++) {
        bytes.set(answer.subarray(12, i < count ? 16 : 44), 32 * i - 20);
        if (i < count) view.setUint32(32 * i + 8, i);
      }
      return bytes;
    };
    const taken = [answer, ...[0, 1, 31, 32, 352, 2016, 2047].map(answerOf)];
    const damaged = [
      answerOf(2048),
      new Uint8Array(0),
      answer.slice(0, 11),
      answer.slice(0, 1023),
      longer(1025),
      longer(2048),
      at(8, 2),
      at(12, 0),
      at(44, 1),
      at(1023, 1),
    ];
    const found: string[] = [];
    for (const bytes of [...taken, ...damaged]) found.push(await ofPackage(bytes));
    expect(found).toEqual([
      ...taken.map((_, i) => (i === 1 ? 'safe' : 'unsafe')),
      ...damaged.map(() => 'ERR_TAMIS_CORRUPT'),
    ]);
    const inPython = python(
      `'unsafe' if bytes.fromhex('${bad}') in read_answer(data, bytes.fromhex('${block('question')}'))[2] else 'safe'`,
      [...taken, ...damaged].map(hex),
    );
    expect(inPython).toEqual(found);
    const [first] = python(
      `'%d %d %s' % (lambda a, b, c: (a, b, *(one.hex() for one in c)))(*read_answer(data, bytes.fromhex('${block('question')}')))`,
      [hex(answer)],
    );
    expect(first).toBe(`300 1800 ${bad}`);
  });

  test('knows the end of a manifest, and its list', () => {
    const program = fileURLToPath(new URL('cpp/format/read_published.py', root));
    const end = START + hour + 7 * DAY;
    const readAt = (ms: number, list = 'phish') =>
      spawnSync('python3', ['-B', program, String(ms), list, publicKey], {
        input: block('manifest'),
        encoding: 'utf8',
      });
    expect(readAt(end - 1).stdout).toBe(block('signed text'));
    expect(readAt(end).stderr).toBe('ERR_TAMIS_EXPIRED\n');
    expect(readAt(end, 'spam').stderr).toBe('ERR_TAMIS_INCOMPATIBLE\n');
  });
});
