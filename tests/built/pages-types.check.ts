/** Types of tamis/pages that tsc checks: sources, options and results. Nothing of this file runs. */
import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { hashKeys, keyBatchesFrom } from 'tamis';
import {
  type BuildPagesOptions,
  type BuiltPages,
  buildPages,
  type PagesManifest,
  type PagesProgress,
} from 'tamis/pages';

declare const privateKey: CryptoKey;

const options: Required<BuildPagesOptions> = {
  name: 'list',
  type: 'exact',
  exclude: new Set(['a']),
  pages: 3,
  memoryBytes: 1e6,
  expectedKeys: 5,
  signingKeys: { privateKey, publicKey: '00' },
  publicKeys: ['00', new Uint8Array(32), privateKey],
  lifetimeMs: 1,
  files: 'page',
  resume: 'monday',
  signal: AbortSignal.timeout(5),
  onProgress({ step, done, total, path }: PagesProgress) {
    const figures: [string, number, number | undefined, string | undefined] = [
      step,
      done,
      total,
      path,
    ];
    return figures.length;
  },
  seed: 1n,
  secret: new Uint8Array(16),
  fingerprintBits: 8,
  arity: 3,
  fpr: 0.1,
  valueBits: 3,
  checkBits: 8,
};

export async function buildAll(): Promise<BuiltPages> {
  const name = 'list';
  await buildPages(['a', new Uint8Array(1)], 'out', { name });
  await buildPages(keyBatchesFrom(new Blob(['a']).stream()), 'out', { name });
  await buildPages(Readable.from(['a']), 'out', { name });
  await buildPages([{ hashes: hashKeys(['a']) }], 'out', { name });
  await buildPages([['a', 1]], 'out', { name, type: 'bloomier', valueBits: 3 });
  // @ts-expect-error a number is no key
  await buildPages([5], 'out', { name });
  // @ts-expect-error clients tell sets apart by the name
  await buildPages(['a'], 'out', {});
  // @ts-expect-error a key pair of node:crypto is no pair of WebCrypto
  await buildPages(['a'], 'out', { name, signingKeys: generateKeyPairSync('ed25519') });
  const { manifest, manifestPath, parts, bytes } = await buildPages(['a'], 'out', options);
  const said: PagesManifest = manifest;
  return { manifest: said, manifestPath, parts, bytes };
}
