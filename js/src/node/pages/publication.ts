// The options for a manifest of pages, and the text that is printed about a published manifest.

import { join } from 'node:path';
import type { PagesManifest, PagesProgress } from '../../pages/steps.js';
import { type KeyPair, loadKeyPair, signingOptions } from '../files/signing-keys.js';
import { publicKeysOption, readDuration } from '../frame/arguments.js';
import type { Options, ValuesOf } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { formatBytes, formatCount } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import { nameOption } from './options.js';

export const publicationOptions = {
  name: nameOption,
  ...signingOptions,
  sign: { ...signingOptions.sign, help: `${signingOptions.sign.help}; without it, no signature` },
  'old-key': publicKeysOption(
    'a public key that may have signed the manifest in the folder to serve, for a change of signing keys',
  ),
  files: {
    value: 'WHAT',
    help: 'what a file contains: a part of many pages, up to 16 MiB, or one page, for hosts without range requests',
    words: ['part', 'page'],
    default: 'part',
  },
  lifetime: {
    value: 'TIME',
    help: 'how long clients trust the manifest, such as 90m, 36h or 7d',
    default: '7d',
    read: readDuration,
  },
} as const satisfies Options;

/** The help text about older files, for both commands that publish. */
export const OLD_FILES =
  'Files of older manifests stay, for clients that still have one. When the max-age is over, delete .pages and .page files of other names. Those in use begin with NAME, a dot and the first 16 digits of the root.';

/** With fewer keys per page, a warning is printed: pages take more bytes per key, and reveal more to the host. */
const FEWEST_MEAN_KEYS = 4096;

/** Reads a publication from the options. */
export async function publicationOf(
  values: ValuesOf<typeof publicationOptions>,
  folder: string,
  terminal: Terminal,
) {
  const { name, sign, files, lifetime: lifetimeMs, 'old-key': oldKeys } = values;
  if (values['create-key'] && sign === undefined) {
    throw new UsageError('--create-key needs --sign PEM, where the new signing key is written');
  }
  if (oldKeys !== undefined && sign === undefined) {
    throw new UsageError('--old-key needs --sign PEM: without it no signature is checked');
  }
  const keys =
    sign === undefined
      ? undefined
      : await loadKeyPair(sign, values['create-key'], folder, terminal);
  return { name, lifetimeMs, isApart: files === 'page', keys, oldKeys: oldKeys ?? [] };
}

/** A publication whose signing key may be new, and not saved yet. */
export type KeyedPublication = Awaited<ReturnType<typeof publicationOf>>;

/** Passes progress on, and saves a new signing key once all files but the manifest are written. */
export const savingKey =
  (report: (progress: PagesProgress) => void, keys: KeyPair | undefined) =>
  (progress: PagesProgress): void => {
    report(progress);
    if (progress.step === 'writing' && progress.done === progress.total) keys?.save();
  };

/** Prints the figures of a publication, and warns of small pages. */
export async function reportPages(
  folder: string,
  manifest: PagesManifest,
  signer: KeyPair | undefined,
  { json, terminal }: { readonly json: boolean; readonly terminal: Terminal },
): Promise<void> {
  const { name, seq, type, keys, pages, stride, parts, root, notAfter } = manifest;
  const bytes = pages * stride;
  if (pages > 1 && keys / pages < FEWEST_MEAN_KEYS) {
    const few = `${formatCount(Math.round(keys / pages))} keys a page, fewer than ${formatCount(FEWEST_MEAN_KEYS)}`;
    terminal.warn(folder, `${few}: each key takes more bytes, and the host learns more about it`);
  }
  const ofKey = { publicKey: signer?.publicKey ?? null, createdKey: signer?.isNew ?? false };
  const ofPages = { name, seq, type, keys, pages, stride, parts, bytes, root, notAfter };
  const perKey = ((8 * bytes) / keys).toFixed(2);
  const heading = `${join(folder, 'manifest.json')}: ${name}, sequence ${seq}`;
  await terminal.printFigures(json, { folder, ...ofPages, ...ofKey }, heading, [
    ['type', type],
    ['keys', formatCount(keys)],
    ['pages', `${formatCount(pages)} of ${formatCount(stride)} bytes`],
    ['parts', `${formatCount(parts)}, ${formatBytes(bytes)} (${perKey} bits a key)`],
    ['root', root],
    ['valid until', notAfter],
    ['public key', signer?.publicKey ?? 'none: it is unsigned, and clients must accept that'],
  ]);
}
