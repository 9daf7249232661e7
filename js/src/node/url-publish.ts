import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { fileStorage, type Manifest, type PublishOptions, publishList } from 'tamis/url';
import { parse, parseCount, parseDuration, parsePublicKey } from './arguments.js';
import { prefixError, toUsageError, UsageError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { runAlone } from './files.js';
import { alignRows, escapeControls, formatCount, formatSize } from './format.js';
import type { Terminal } from './terminal.js';
import { type KeyPair, loadKeyPair } from './url-keys.js';
import { loadList } from './url-lists.js';

const optionTable = {
  to: { type: 'string' },
  key: { type: 'string' },
  'create-key': { type: 'boolean', default: false },
  name: { type: 'string' },
  version: { type: 'string' },
  lifetime: { type: 'string' },
  'max-deltas': { type: 'string' },
  'old-key': { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parse<typeof optionTable>>['values'];

/** `tamis url publish FILE --to FOLDER`: a signed version of a list, for any static host. */
export async function urlPublish(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError('url publish: expected one FILE, which tamis url build wrote');
  }
  const { to: folder, key, name } = values;
  if (!folder || !key || !name)
    throw new UsageError('url publish: expected --to, --key and --name');
  const settings = settingsOf(values);
  const list = await loadList(path);
  const keys = await loadKeyPair(key, values['create-key']);
  const storage = fileStorage(fs, folder);
  const manifest = await publishAlone(folder, terminal, () =>
    publishList(list, { name, storage, keys, ...settings }),
  );
  list.dispose();
  if (values.json) await terminal.printJson(summarize(folder, manifest, keys));
  else await terminal.print(describe(folder, manifest, { ...keys, path: key }));
  return SUCCESS;
}

function settingsOf(values: Values): Partial<PublishOptions> {
  const { version, lifetime, 'max-deltas': maxDeltas, 'old-key': oldKeys } = values;
  return {
    ...(version === undefined ? {} : { version }),
    ...(lifetime === undefined ? {} : { lifetimeMs: parseDuration('--lifetime', lifetime) }),
    ...(maxDeltas === undefined ? {} : { maxDeltas: parseCount('--max-deltas', maxDeltas) }),
    ...(oldKeys === undefined
      ? {}
      : { publicKeys: oldKeys.map((text) => parsePublicKey('--old-key', text)) }),
  };
}

/** Publishes into the folder while no other process does: the version of each is the one after. */
async function publishAlone(
  folder: string,
  terminal: Terminal,
  publish: () => Promise<Manifest>,
): Promise<Manifest> {
  try {
    await fs.mkdir(folder, { recursive: true });
    return await runAlone(join(folder, 'publish.lock'), terminal, async () => {
      await removeHalves(folder);
      return publish();
    });
  } catch (error) {
    throw prefixError(folder, toUsageError(error));
  }
}

/** Files that a killed publisher was about to write: they have another name until they are whole. */
async function removeHalves(folder: string): Promise<void> {
  const half =
    /^(manifest\.json|files\.json|(snapshot|delta)-[\da-f]{64}\.tamis)\.[\da-f-]{36}\.tmp$/;
  for (const name of await fs.readdir(folder)) {
    if (half.test(name)) await fs.rm(join(folder, name), { force: true });
  }
}

const bytesOf = ({ deltas }: Manifest): number => deltas.reduce((sum, { bytes }) => sum + bytes, 0);

function summarize(folder: string, manifest: Manifest, { publicKey, isNew }: KeyPair) {
  const { list, seq, version, n, snapshot, deltas, notAfter } = manifest;
  return {
    ...{ folder, list, seq, version, entries: n, snapshotBytes: snapshot.bytes },
    ...{ deltas: deltas.length, deltaBytes: bytesOf(manifest), notAfter, publicKey },
    createdKey: isNew,
  };
}

function describe(
  folder: string,
  manifest: Manifest,
  { publicKey, isNew, path }: KeyPair & { path: string },
): string {
  const { list, seq, version, n, snapshot, deltas, notAfter } = manifest;
  const heading = `${join(folder, 'manifest.json')}: ${list}, version ${version}`;
  return `${escapeControls(heading)}\n${alignRows([
    ['sequence', String(seq)],
    ['entries', formatCount(n)],
    ['whole list', formatSize(snapshot.bytes)],
    ['deltas', deltas.length === 0 ? 'none' : `${deltas.length}, ${formatSize(bytesOf(manifest))}`],
    ['valid until', notAfter],
    ['public key', publicKey],
    ...(isNew ? [['private key', `${escapeControls(path)}, a new one`] as const] : []),
  ])}`;
}
