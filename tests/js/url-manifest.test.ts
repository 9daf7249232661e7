/** Manifests: the signed bytes, and every reason to refuse one. */

import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Manifest, type ManifestFields, signManifest, verifyManifest } from 'tamis/url';

import { rejection } from './support/errors.js';
import { DAY, hex, newKeys, START } from './support/url-publisher.js';

const digest = (letter: string): string => letter.repeat(64);

const FIELDS: ManifestFields = {
  list: 'phish',
  seq: 7,
  version: '2026-11-22',
  n: 3,
  hash: 'sha256',
  rule: 'labels5',
  prefixBytes: 4,
  created: new Date(START).toISOString(),
  notAfter: new Date(START + 7 * DAY).toISOString(),
  sha256: digest('a'),
  snapshot: { url: 'snap.bin', bytes: 128, sha256: digest('b') },
  deltas: [{ from: digest('c'), url: 'delta.bin', bytes: 64, sha256: digest('d') }],
};

const nowMs = START + DAY;
let keys: CryptoKeyPair;
let manifest: Manifest;

beforeAll(async () => {
  keys = await newKeys();
  manifest = await signManifest(FIELDS, keys);
});

const open = (input: string | Uint8Array | object, more = {}) =>
  verifyManifest(input, { publicKeys: [keys.publicKey], nowMs, ...more });

async function refused(input: string | Uint8Array | object, code: string, more = {}) {
  const error = await rejection(open(input, more));
  expect(error.code).toBe(`ERR_TAMIS_${code}`);
  return error;
}

test('what was signed is read from an object, a text and bytes', async () => {
  const text = JSON.stringify(manifest, null, 2);
  expect(manifest).toMatchObject(FIELDS);
  for (const input of [manifest, text, new TextEncoder().encode(text)]) {
    expect(await open(input)).toEqual(manifest);
  }
});

test('the bytes that are signed are those that the documentation says', async () => {
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey));
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw).toString('base64url') };
  // Written by hand: RFC 8785 of FIELDS and keyId.
  const signed =
    'tamis-manifest-1\n' +
    `{"created":"2026-11-22T00:00:00.000Z","deltas":[{"bytes":64,"from":"${digest('c')}",` +
    `"sha256":"${digest('d')}","url":"delta.bin"}],"hash":"sha256","keyId":"${manifest.keyId}",` +
    `"list":"phish","n":3,"notAfter":"2026-11-29T00:00:00.000Z","prefixBytes":4,"rule":"labels5",` +
    `"seq":7,"sha256":"${digest('a')}","snapshot":{"bytes":128,"sha256":"${digest('b')}",` +
    `"url":"snap.bin"},"version":"2026-11-22"}`;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify(null, Buffer.from(signed), key, Buffer.from(manifest.sig, 'hex'))).toBe(true);
  const id = new Uint8Array(await crypto.subtle.digest('SHA-256', raw));
  expect(manifest.keyId).toBe(hex(id.subarray(0, 8)));
});

test('a manifest that was signed elsewhere', async () => {
  const vector = JSON.parse(
    readFileSync(new URL('../vectors/url/manifest.json', import.meta.url), 'utf8'),
  );
  const { publicKey, secretKey, manifest: signed } = vector;
  const options = { publicKeys: [publicKey], nowMs };
  expect(await verifyManifest(signed, options)).toEqual(signed);
  // PKCS #8 of RFC 8410 around the secret.
  const der = Buffer.from(`302e020100300506032b657004220420${secretKey}`, 'hex');
  const privateKey = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']);
  const { sig: _, keyId: __, ...fields } = signed;
  expect(await signManifest(fields, { privateKey, publicKey })).toEqual(signed);
  expect(vector.signed).toMatch(/^tamis-manifest-1\n\{"A":\{\},"a":\{"10":1,"9":2\},"created":/);
});

test('members in another order, and white space, mean the same', async () => {
  const reordered = Object.fromEntries(Object.entries(manifest).reverse());
  expect(await open(JSON.stringify(reordered, null, '\t'))).toEqual(manifest);
});

test('unknown members are signed, and mean nothing', async () => {
  const more = { ...FIELDS, minClient: 1.5e300, note: { z: ['\u20ac\u0007', null], __proto: 0 } };
  const signed = await signManifest(more, keys);
  expect(await open(JSON.stringify(signed))).toMatchObject(more);
  await refused({ ...signed, minClient: 2 }, 'BAD_SIGNATURE');
  const { note: _, ...less } = signed as Manifest & { note: unknown };
  await refused(less, 'BAD_SIGNATURE');
});

test('a member of the name __proto__ is signed as others are', async () => {
  const text = JSON.stringify(manifest).replace('{', '{"__proto__":{"seq":9},');
  await refused(text, 'BAD_SIGNATURE');
});

describe('keys', () => {
  test('a public key is a CryptoKey, its bytes or their hexadecimal', async () => {
    const raw = new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey));
    for (const key of [keys.publicKey, raw, hex(raw)]) {
      expect(await open(manifest, { publicKeys: [key] })).toEqual(manifest);
    }
  });

  test('either of two keys may sign', async () => {
    const next = await newKeys();
    const both = { publicKeys: [keys.publicKey, next.publicKey] };
    expect(await open(manifest, both)).toEqual(manifest);
    expect((await open(await signManifest(FIELDS, next), both)).keyId).not.toBe(manifest.keyId);
  });

  test('a key that is not trusted', async () => {
    const foreign = await signManifest(FIELDS, await newKeys());
    await refused(foreign, 'BAD_SIGNATURE');
    await refused({ ...foreign, keyId: manifest.keyId }, 'BAD_SIGNATURE');
    await refused({ ...manifest, sig: foreign.sig }, 'BAD_SIGNATURE');
  });

  test('keys that are none', async () => {
    for (const key of [new Uint8Array(31), 'ab', digest('A'), 7, null, {}, undefined]) {
      const error = await rejection(open(manifest, { publicKeys: [key] }));
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
    }
    for (const publicKeys of [[], undefined, 'x', Array(17).fill(keys.publicKey)]) {
      const error = await rejection(open(manifest, { publicKeys }));
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
    }
  });

  test('keys of another kind', async () => {
    const curve = { name: 'ECDSA', namedCurve: 'P-256' };
    const other = await crypto.subtle.generateKey(curve, true, ['sign', 'verify']);
    const hidden = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    for (const key of [other.publicKey, keys.privateKey]) {
      expect(await rejection(open(manifest, { publicKeys: [key] }))).toBeInstanceOf(TypeError);
    }
    for (const pair of [
      undefined,
      {},
      { ...keys, publicKey: other.publicKey },
      { ...keys, privateKey: other.privateKey },
      { ...keys, privateKey: keys.publicKey },
    ]) {
      expect(await rejection(signManifest(FIELDS, pair as never))).toBeInstanceOf(TypeError);
    }
    // Signing works without an extractable private key.
    const { privateKey, publicKey } = hidden as CryptoKeyPair;
    const signed = await signManifest(FIELDS, { privateKey, publicKey });
    expect(await open(signed, { publicKeys: [publicKey] })).toEqual(signed);
  });

  test('a public key that does not belong to the private one', async () => {
    const { publicKey } = await newKeys();
    const error = await rejection(signManifest(FIELDS, { ...keys, publicKey }));
    expect(error).toBeInstanceOf(TypeError);
  });
});

describe('damage', () => {
  test('every byte of the text', async () => {
    const text = Buffer.from(JSON.stringify(manifest));
    for (let i = 0; i < text.length; i++) {
      const damaged = Buffer.from(text);
      damaged[i] = (damaged[i] as number) ^ 1;
      const error = await rejection(open(damaged));
      expect(error.code).toMatch(/^ERR_TAMIS_(CORRUPT|BAD_SIGNATURE)$/);
    }
  });

  test('every shorter text', async () => {
    const text = JSON.stringify(manifest);
    for (let i = 0; i < text.length; i++) await refused(text.slice(0, i), 'CORRUPT');
  });

  test('what is no manifest', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const { sig: _, ...unsigned } = manifest;
    for (const input of ['', 'null', '[]', '7', '"x"', '{}', deep, unsigned, Uint8Array.of(255)]) {
      await refused(input, 'CORRUPT');
    }
    await refused(
      `{"deep":${deep},"keyId":"${manifest.keyId}","sig":"${manifest.sig}"}`,
      'CORRUPT',
    );
    await refused({ ...manifest, sig: `${manifest.sig}00` }, 'CORRUPT');
    await refused({ ...manifest, keyId: 'nobody' }, 'CORRUPT');
    await refused(' '.repeat(2 ** 21 + 1), 'TOO_LARGE');
  });

  test('a number in the place of a signed text', async () => {
    await refused({ ...manifest, seq: '7' }, 'BAD_SIGNATURE');
    await refused({ ...manifest, seq: 8 }, 'BAD_SIGNATURE');
    await refused({ ...manifest, notAfter: '2036-01-01T00:00:00.000Z' }, 'BAD_SIGNATURE');
  });
});

const file = FIELDS.snapshot;
const wrongFields: [keyof ManifestFields, unknown[]][] = [
  ['list', [undefined, 7, '', 'x'.repeat(65), 'caf\u00e9', 'a\nb']],
  ['seq', [undefined, 0, -1, 1.5, '7', 2 ** 53, null]],
  ['version', [undefined, 1, '']],
  ['n', [undefined, -1, 0.5, '3', 2 ** 60]],
  ['hash', [undefined, 'sha1', 1]],
  ['rule', [undefined, '', 5]],
  ['prefixBytes', [undefined, 0, 5, '4', 64]],
  ['created', [undefined, 0, '2026-11-22', 'yesterday', '2026-11-22T00:00:00Z']],
  [
    'notAfter',
    [undefined, '2026-11-21T23:59:59.999Z', FIELDS.created, '+275760-09-13T00:00:00.001Z'],
  ],
  ['sha256', [undefined, digest('A'), digest('a').slice(1), `${digest('a')}\n`, 7]],
  ['snapshot', [undefined, null, [], 'x', { ...file, bytes: -1 }, { ...file, url: '' }]],
  ['snapshot', [{ ...file, url: 'a b' }, { ...file, sha256: undefined }, { bytes: 1 }]],
  [
    'deltas',
    [undefined, {}, [file], [null], [{ ...file, from: 'x' }], Array(4097).fill(FIELDS.deltas[0])],
  ],
];

describe.each(wrongFields)('%s', (field, values) => {
  test('of the wrong type or range is not signed', async () => {
    for (const value of values) {
      const error = await rejection(signManifest({ ...FIELDS, [field]: value } as never, keys));
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
      expect(error.message).toContain(`manifest.${field}`);
    }
  });
});

test('what JSON cannot hold is not signed', async () => {
  const ring: Record<string, unknown> = { ...FIELDS };
  ring.self = ring;
  for (const fields of [{ ...FIELDS, seq: 7n }, ring, undefined, null, () => 1]) {
    const error = await rejection(signManifest(fields as never, keys));
    expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
  }
});

test('what is longer than anybody opens is not signed', async () => {
  const longest = 2 ** 21;
  const room = longest - JSON.stringify({ ...manifest, more: '' }).length;
  for (const letter of ['x', '\u00fc']) {
    const size = new TextEncoder().encode(letter).length;
    const more = letter.repeat(Math.floor(room / size));
    const signed = await signManifest({ ...FIELDS, more } as ManifestFields, keys);
    const bytes = new TextEncoder().encode(JSON.stringify(signed));
    expect(bytes.length).toBeGreaterThan(longest - size);
    expect(await open(bytes)).toEqual(signed);
    const over = { ...FIELDS, more: `${more}${letter}` } as ManifestFields;
    expect(await rejection(signManifest(over, keys))).toBeInstanceOf(RangeError);
  }
});

test('a wrong field is CORRUPT though it is signed', async () => {
  // Signed by other means, because signManifest refuses it.
  const canonical = (value: unknown): string =>
    typeof value !== 'object' || value === null
      ? JSON.stringify(value)
      : Array.isArray(value)
        ? `[${value.map(canonical).join()}]`
        : `{${Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
            .join()}}`;
  for (const [field, values] of wrongFields) {
    for (const value of values) {
      const unsigned = JSON.parse(
        JSON.stringify({ ...FIELDS, [field]: value, keyId: manifest.keyId }),
      );
      const bytes = new TextEncoder().encode(`tamis-manifest-1\n${canonical(unsigned)}`);
      const sig = hex(new Uint8Array(await crypto.subtle.sign('Ed25519', keys.privateKey, bytes)));
      await refused({ ...unsigned, sig }, 'CORRUPT');
    }
  }
});

describe('what is expected', () => {
  test('the time', async () => {
    const end = START + 7 * DAY;
    expect(await open(manifest, { nowMs: end - 1 })).toEqual(manifest);
    await refused(manifest, 'EXPIRED', { nowMs: end });
    await refused(manifest, 'EXPIRED', { nowMs: end + DAY });
  });

  test('the list and the rule', async () => {
    expect(await open(manifest, { name: 'phish', rule: 'labels5' })).toEqual(manifest);
    await refused(manifest, 'INCOMPATIBLE', { name: 'malware' });
    await refused(manifest, 'INCOMPATIBLE', { rule: 'psl-icann@2026-11' });
  });

  test('no way back', async () => {
    const next = await signManifest({ ...FIELDS, seq: 8 }, keys);
    const other = await signManifest({ ...FIELDS, version: 'other' }, keys);
    const again = await signManifest(FIELDS, await newKeys());
    expect(await open(next, { newest: manifest })).toEqual(next);
    expect(await open(manifest, { newest: manifest })).toEqual(manifest);
    expect(await open(manifest, { newest: again })).toEqual(manifest);
    await refused(manifest, 'ROLLBACK', { newest: next });
    await refused(other, 'ROLLBACK', { newest: manifest });
    await refused(await signManifest({ ...FIELDS, seq: 9, list: 'other' }, keys), 'INCOMPATIBLE', {
      newest: manifest,
    });
  });

  test('options that are wrong', async () => {
    for (const more of [
      { nowMs: Number.NaN },
      { nowMs: '1' },
      { name: 1 },
      { newest: 1 },
      { newest: {} },
      { newest: { ...manifest, seq: '7' } },
      { newest: { ...manifest, list: undefined } },
      { key: 1 },
    ]) {
      const error = await rejection(open(manifest, more));
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
    }
  });
});
