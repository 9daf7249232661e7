// Opens a list in a file, or a published list: its manifest in a folder or on the web, and the files that it names.

import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type HostRule, type Manifest, UrlList, type UrlStorage, verifyManifest } from 'tamis/url';
import { ignoreAbsence } from '../../disk/index.js';
import { allowSizeOf, readOwn } from '../files/files.js';
import type { Option } from '../frame/command.js';
import {
  CommandError,
  codeOf,
  describe,
  prefixError,
  tellAbout,
  toUsageError,
  UsageError,
} from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import { nameOfRule } from './rule.js';

const MAX_MANIFEST_BYTES = 2 ** 21;
const TIMEOUT_MS = 60_000;
/** The earliest time of a Date. At that time no manifest has expired. */
const FIRST_MS = -8.64e15;

/** Reads a list from a file. Look-ups need the rule. Throws a CommandError that names the file. */
export async function loadList(path: string, rule?: HostRule): Promise<UrlList> {
  try {
    const bytes = await readOwn(path);
    return UrlList.fromBytes(bytes, { ...allowSizeOf(bytes), rule });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ERR_TAMIS_WRONG_TYPE') {
      throw new CommandError(`${path}: not a URL list, which tamis url build writes`);
    }
    if (code !== 'ERR_TAMIS_NOT_TAMIS') throw prefixError(path, error);
    const cure = 'run tamis url build first, which makes a list from text';
    throw new CommandError(`${path}: not a list of tamis url build (${code}): ${cure}`, {
      cause: error,
    });
  }
}

/** Throws unless a delta can lead from one list to the other. */
export function expectAlike(
  oldName: string,
  older: UrlList,
  newName: string,
  { rule, prefixBytes }: Pick<UrlList, 'rule' | 'prefixBytes'>,
): void {
  if (older.rule === rule && older.prefixBytes === prefixBytes) return;
  const was = `of rule '${older.rule}' with prefixes of ${older.prefixBytes} bytes`;
  const is = `of rule '${rule}' with ${prefixBytes}`;
  const cure = 'build both with the same --rule and --prefix-bytes';
  throw new CommandError(`${oldName} is ${was}, and ${newName} is ${is}: ${cure}`);
}

/** The URL of a manifest; undefined if the path names a file with a list. */
export async function findManifest(path: string): Promise<URL | undefined> {
  if (/^https?:\/\//i.test(path)) return tellAbout(path, () => new URL(path));
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) return pathToFileURL(join(path, 'manifest.json'));
  return path.endsWith('.json') ? pathToFileURL(path) : undefined;
}

interface Expected {
  readonly publicKeys: readonly string[];
  readonly name: string;
}

/** The error for a missing file. Some hosts send a page instead, which may be longer than the file. */
class MissingFile extends CommandError {}

/** The error for a file that certainly does not exist. */
class AbsentFile extends MissingFile {}

/** Opens the list that a valid manifest names, and verifies every byte. */
export async function fetchList(
  source: URL,
  name: string,
  { rule, ...expected }: Expected & { readonly rule: HostRule | undefined },
): Promise<UrlList> {
  try {
    const manifest = await verifyManifest(await fetchBytes(source, MAX_MANIFEST_BYTES), {
      ...expected,
      ...(rule && { rule: nameOfRule(rule) }),
    });
    const { url, bytes: size } = manifest.snapshot;
    const bytes = await fetchBytes(new URL(url, source), size);
    if (!isIntact(bytes, manifest.snapshot)) {
      throw new CommandError(`${name}: ${url}: not the file that the manifest names`);
    }
    return UrlList.fromBytes(bytes, { ...allowSizeOf(bytes), rule });
  } catch (error) {
    throw prefixError(name, toUsageError(error));
  }
}

export const allowFirst = {
  help: 'for a first run: accepts, without a warning, that --previous does not exist yet',
} as const satisfies Option;

const FIRST_CURE = 'if this is the first version, pass --allow-first';

/** True if the path does not exist; then throws unless `mayBeFirst`. Refuses '', the value of an empty variable. */
export async function isFirst(path: string, mayBeFirst: boolean): Promise<boolean> {
  if (path === '') throw new UsageError("--previous '': expected a path");
  const isAbsent = (await tellAbout(path, () => stat(path).catch(ignoreAbsence))) === undefined;
  if (!isAbsent || mayBeFirst) return isAbsent;
  throw new CommandError(`--previous ${path}: no such file or folder; ${FIRST_CURE}`);
}

/**
 * Opens a published version for publishList. It may have expired, and files may be missing. Undefined if there is no
 * version and `mayBeFirst` is true.
 */
export async function fetchVersion(
  path: string,
  expected: Expected,
  mayBeFirst: boolean,
  terminal: Terminal,
): Promise<Pick<UrlStorage, 'get'> | undefined> {
  const source = await findManifest(path);
  if (source === undefined) {
    if (await isFirst(path, mayBeFirst)) return undefined;
    const what = 'a folder that tamis url publish wrote, its manifest.json or the URL of that';
    throw new UsageError(`--previous ${path}: expected ${what}`);
  }
  try {
    const bytes = await fetchBytes(source, MAX_MANIFEST_BYTES).catch((error) => {
      if (!(error instanceof AbsentFile)) throw error;
      if (!mayBeFirst) throw new CommandError(`${error.message}; ${FIRST_CURE}`);
    });
    if (bytes === undefined) return undefined;
    const { snapshot, deltas } = await verifyManifest(bytes, { ...expected, nowMs: FIRST_MS });
    const files = new Map([['manifest.json', bytes]]);
    for (const file of [snapshot, ...deltas]) {
      const url = new URL(file.url, source);
      const content = await fetchBytes(url, file.bytes).catch((error) => {
        if (!(error instanceof MissingFile)) throw error;
      });
      if (content && isIntact(content, file)) files.set(file.url, content);
    }
    if (!files.has(snapshot.url)) {
      terminal.warn(path, `no ${snapshot.url}, so no delta from it: clients fetch the whole list`);
    }
    return { get: (name) => files.get(name) };
  } catch (error) {
    throw versionError(path, error);
  }
}

/** An error about a published version. For a wrong signature, it names the option for an old signing key. */
export function versionError(name: string, error: unknown): CommandError {
  if (codeOf(error) !== 'ERR_TAMIS_BAD_SIGNATURE') return prefixError(name, toUsageError(error));
  const cure =
    'if you changed the signing key, pass --old-key HEX with the old public key, which tamis url key prints';
  return new CommandError(`${name}: ${describe(error)}; ${cure}`, { cause: error });
}

const isIntact = (bytes: Uint8Array, { sha256 }: Manifest['snapshot']): boolean =>
  createHash('sha256').update(bytes).digest('hex') === sha256;

/** Reads a file of any size, or the answer of a URL, which may have at most `maxBytes`. */
async function fetchBytes(url: URL, maxBytes: number): Promise<Uint8Array> {
  if (url.protocol === 'file:') {
    const path = fileURLToPath(url);
    return readFile(url).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw prefixError(path, error);
      throw new AbsentFile(`${path}: ${describe(error)}`, { cause: error });
    });
  }
  try {
    const { ok, status, body } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!ok) {
      const Refusal = status === 404 || status === 410 ? AbsentFile : CommandError;
      throw new Refusal(`${url}: the server answered ${status}`);
    }
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of body ?? []) {
      size += part.length;
      if (size > maxBytes) throw new MissingFile(`${url}: more than ${maxBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // The message of fetch says only that it failed; its cause says why.
    const { cause = error } = Object(error);
    throw new CommandError(`${url}: no answer (${codeOf(cause) ?? describe(cause)})`, { cause });
  }
}
