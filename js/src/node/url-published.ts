// A published list: the manifest in a folder or on the web, and the files that it names.

import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type HostRule, UrlList, verifyManifest } from 'tamis/url';
import { CommandError, codeOf, describe, prefixError, toUsageError } from './errors.js';
import { allowSizeOf } from './files.js';

/** More has no manifest. */
const MAX_MANIFEST_BYTES = 2 ** 21;
const TIMEOUT_MS = 60_000;

/** The URL of the manifest that is meant; undefined where it is a list in a file. */
export async function findManifest(path: string): Promise<URL | undefined> {
  if (/^https?:\/\//i.test(path)) {
    try {
      return new URL(path);
    } catch (error) {
      throw prefixError(path, error);
    }
  }
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) return pathToFileURL(join(path, 'manifest.json'));
  return path.endsWith('.json') ? pathToFileURL(path) : undefined;
}

/** Who may have signed, and the rule of its look-ups. */
interface Expected {
  readonly publicKeys: readonly string[];
  readonly rule: HostRule;
}

/** The list of a manifest that is believed, each byte as it was signed. */
export async function fetchList(
  source: URL,
  name: string,
  { publicKeys, rule }: Expected,
): Promise<UrlList> {
  try {
    const manifest = await verifyManifest(await fetchBytes(source, MAX_MANIFEST_BYTES), {
      publicKeys,
      rule: rule === 'labels5' ? rule : rule.name,
    });
    const { url, bytes: size, sha256 } = manifest.snapshot;
    const bytes = await fetchBytes(new URL(url, source), size);
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
      throw new CommandError(`${name}: ${url}: not the file that the manifest names`);
    }
    return UrlList.fromBytes(bytes, { ...allowSizeOf(bytes), rule });
  } catch (error) {
    throw prefixError(name, toUsageError(error));
  }
}

/** What a file or a web server has there; more than `maxBytes` is an error. */
async function fetchBytes(url: URL, maxBytes: number): Promise<Uint8Array> {
  if (url.protocol === 'file:') {
    return readFile(url).catch((error) => {
      throw prefixError(fileURLToPath(url), error);
    });
  }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new CommandError(`${url}: the server answered ${response.status}`);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body ?? []) {
      size += part.length;
      if (size > maxBytes) throw new CommandError(`${url}: more than ${maxBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // What fetch says itself is only that it failed.
    const { cause = error } = error as Error;
    throw new CommandError(`${url}: no answer (${codeOf(cause) ?? describe(cause)})`, { cause });
  }
}
