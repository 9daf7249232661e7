import type { RmOptions } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileStorage, type Manifest, publishList, type UrlStorage } from 'tamis/url';
import { type MustHold, waitNote, withLock } from '../../disk/index.js';
import { type KeyPair, loadKeyPair, signingOptions } from '../files/signing-keys.js';
import { countOption, publicKeysOption, readDuration } from '../frame/arguments.js';
import { command, dropUndefined } from '../frame/command.js';
import { escapeControls, formatCount, formatSize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import { allowFirst, fetchVersion, loadList, versionError } from './published.js';

const MANIFEST = 'manifest.json';

export const urlPublish = command({
  usage: 'url publish FILE --to FOLDER',
  summary: 'writes a signed version of a list, with deltas',
  about:
    'Writes a signed version of a list to FOLDER, with deltas from older versions. It prints the public key, which clients need.',
  operands: { FILE: 'a list that tamis url build wrote' },
  expected: [1, 1, 'one FILE, which tamis url build wrote'],
  options: {
    to: {
      value: 'FOLDER',
      help: 'the folder for manifest.json and the files that it names; made if missing; needed',
      required: true,
    },
    ...signingOptions,
    sign: { ...signingOptions.sign, help: `${signingOptions.sign.help}; needed`, required: true },
    name: {
      value: 'NAME',
      help: 'the name of the list, which clients ask for; needed',
      required: true,
    },
    previous: {
      value: 'FILE|URL',
      help: 'the previous version, from which a delta is made, if FOLDER has no version or an older one: its folder, or the path or URL of its manifest.json',
    },
    'allow-first': allowFirst,
    version: { value: 'TEXT', help: 'the name of this version, for people (default: the time)' },
    label: { value: 'TEXT', help: "the list's name for users, which clients show" },
    severity: countOption('how bad the entries are, from 0 to 10; clients show it'),
    'report-to': {
      value: 'URL',
      help: 'the address for reports of wrong entries, which clients show; {url} in it stands for the URL',
    },
    lifetime: {
      value: 'TIME',
      help: 'how long clients trust this version, such as 90m, 36h or 7d (default 7d); publish again before it ends',
      read: readDuration,
    },
    jumps: countOption(
      'the number of older versions from which clients update with one delta, a jump (default 128); 0 writes none',
    ),
    'max-deltas': countOption(
      'the number of older versions from which clients update delta by delta (default 8, and 64 without jumps)',
    ),
    'old-key': publicKeysOption(
      'a public key that may have signed the manifest in FOLDER, for a change of signing keys',
    ),
    json: { help: 'prints what was published as one line of JSON' },
  },
  notes: [
    'Clients refuse versions with a lower sequence. The sequence is the Unix time in seconds, or the previous sequence plus one if that is larger.',
    'Jumps begin at the oldest version that FOLDER still has. So keep the whole folder from run to run, with files.json.',
    'Publishing the same list again renews only the manifest. Old files stay for a day, and old jumps for an hour. Serve the folder as it is: manifest.json with a short max-age, the other files for ever.',
  ],
  async run(values, [path]: readonly [string], terminal) {
    const { to: folder, sign: keyPath, name, version, lifetime: lifetimeMs } = values;
    const { label, severity, 'report-to': report } = values;
    const { jumps, 'max-deltas': maxDeltas, 'old-key': publicKeys } = values;
    const { 'allow-first': mayBeFirst } = values;
    const list = await loadList(path);
    const keys = await loadKeyPair(keyPath, values['create-key'], folder, terminal);
    const expected = { publicKeys: [keys.publicKey, ...(publicKeys ?? [])], name };
    const previous =
      values.previous === undefined
        ? undefined
        : await fetchVersion(values.previous, expected, mayBeFirst, terminal);
    const more = dropUndefined({
      ...{ version, label, severity, report },
      ...{ lifetimeMs, jumps, maxDeltas, publicKeys, previous },
    });
    const manifest = await publishAlone(folder, keys, terminal, async (storage) => {
      // With a new key this is the first version: nobody can have an earlier one.
      const isFirst = mayBeFirst || (keys.isNew && publicKeys === undefined);
      const isAlone = !previous && (await storage.get(MANIFEST)) === undefined;
      const published = await publishList(list, { name, storage, signingKeys: keys, ...more });
      if (isAlone && !isFirst) {
        const what = 'Clients that have one accept this by its time, and fetch the whole list';
        const way = '--previous FILE|URL gives them a delta; if there is none, pass --allow-first';
        terminal.warn(folder, `no earlier version here. ${what}; ${way}`);
      }
      return published;
    });
    list.dispose();
    await show(folder, manifest, { ...keys, path: keyPath }, values.json, terminal);
  },
});

/** Publishes the next version into the folder, while no other process can write there. */
async function publishAlone(
  folder: string,
  keys: KeyPair,
  terminal: Terminal,
  publish: (storage: UrlStorage) => Promise<Manifest>,
): Promise<Manifest> {
  try {
    await fs.mkdir(folder, { recursive: true });
    return await withLock(
      join(folder, 'publish.lock'),
      (mustHold) => publish(storageOn(folder, guard(mustHold, keys))),
      { onWait: (lock) => terminal.note(waitNote(lock)) },
    );
  } catch (error) {
    throw versionError(folder, error);
  }
}

/** fileStorage with a file system as its second argument, which its type does not show. */
const storageOn: (folder: string, fs: object) => UrlStorage = fileStorage;

/** A file system that refuses to rename or delete once the lock is lost. Saves a new key just before the manifest. */
const guard = (mustHold: MustHold, keys: KeyPair) => ({
  ...fs,
  async rename(from: string, to: string) {
    mustHold();
    if (basename(to) === MANIFEST) keys.save();
    await fs.rename(from, to);
  },
  async rm(path: string, options: RmOptions) {
    // A temporary file belongs to this run, so it needs no lock.
    if (!path.endsWith('.tmp')) mustHold();
    await fs.rm(path, options);
  },
});

function show(
  folder: string,
  { list: name, seq, version, n: entries, snapshot, deltas, jumps, notAfter }: Manifest,
  { publicKey, isNew, path }: KeyPair & { path: string },
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const deltaBytes = deltas.reduce((sum, { bytes }) => sum + bytes, 0);
  const figures = {
    ...{ folder, name, seq, version, entries, snapshotBytes: snapshot.bytes },
    ...{ deltas: deltas.length, deltaBytes, hasJumps: jumps !== undefined },
    ...{ notAfter, publicKey, createdKey: isNew },
  };
  const heading = `${join(folder, MANIFEST)}: ${name}, version ${version}`;
  return terminal.printFigures(json, figures, heading, [
    ['sequence', String(seq)],
    ['entries', formatCount(entries)],
    ['whole list', formatSize(snapshot.bytes)],
    ['deltas', deltas.length === 0 ? 'none' : `${deltas.length}, ${formatSize(deltaBytes)}`],
    ['jumps', jumps === undefined ? 'none' : 'from older versions'],
    ['valid until', notAfter],
    ['public key', publicKey],
    ...(isNew ? [['signing key', `${escapeControls(path)}, a new one`] as const] : []),
  ]);
}
