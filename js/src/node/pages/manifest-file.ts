// The manifest of pages in a folder: which one may have a next one, and that.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openPagesManifest,
  type PagesFields,
  type PagesManifest,
  pagesManifest,
  readPagesFields,
  signFields,
  trustKeys,
} from '../../pages/index.js';
import { removeLeftovers, writeAtomically } from '../files/files.js';
import { type MustHold, runAlone } from '../files/locks.js';
import { CommandError, codeOf, describe, prefixError } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import type { KeyPair } from '../signing/keys.js';

/** What a manifest says beside the pages. */
export interface Publication {
  /** The name of the list. */
  readonly name: string;
  readonly lifetimeMs: number;
  /** Whether each page is a file of its own. */
  readonly isApart: boolean;
  /** Undefined for a manifest that nobody signs. */
  readonly keys: KeyPair | undefined;
  /** Public keys, beside that of `keys`, that may have signed what is in the folder. */
  readonly oldKeys: readonly string[];
}

const MANIFEST = 'manifest.json';

/** The bytes of a manifest of this list; undefined where there is none. Who signed it is not looked at. */
async function readNamed(folder: string, name: string): Promise<Buffer | undefined> {
  const path = join(folder, MANIFEST);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw prefixError(path, error);
  }
  const found = await openPagesManifest(bytes, null).catch((error) => {
    throw new CommandError(`${path}: no manifest of pages: ${describe(error)}`, { cause: error });
  });
  if (found.name === name) return bytes;
  throw new CommandError(`${folder}: holds the list ${found.name}, not ${name}`);
}

/** Throws a CommandError where another list is in the folder. */
export async function checkName(folder: string, name: string): Promise<void> {
  await readNamed(folder, name);
}

/**
 * The manifest that stands in a folder; undefined where there is none. Throws a CommandError where it can have no next one:
 * what is signed follows nothing that others may have written.
 */
export async function readStanding(
  folder: string,
  { name, lifetimeMs, keys, oldKeys }: Publication,
): Promise<PagesFields | undefined> {
  const bytes = await readNamed(folder, name);
  if (bytes === undefined) return undefined;
  const known = keys ? await trustKeys([keys.publicKey, ...oldKeys]) : null;
  const last = await openPagesManifest(bytes, known).catch((error) => {
    const isSigned = codeOf(error) === 'ERR_TAMIS_BAD_SIGNATURE';
    const what = isSigned ? 'not signed by the key of --sign' : 'nobody signed it';
    const way = `${isSigned ? 'give --old-key HEX, ' : ''}take another folder, or remove it`;
    const message = `${join(folder, MANIFEST)}: ${what} (ERR_TAMIS_BAD_SIGNATURE): ${way}`;
    throw new CommandError(message, { cause: error });
  });
  if (last.seq === Number.MAX_SAFE_INTEGER) {
    throw new CommandError(`${folder}: no sequence follows ${last.seq}: remove manifest.json`);
  }
  const nowMs = Date.now();
  if (nowMs + lifetimeMs <= Date.parse(last.created)) {
    const now = new Date(nowMs).toISOString();
    const what = `the clock says ${now}, more than the lifetime before the version of ${last.created}`;
    throw new CommandError(`${folder}: ${what}: set the clock, or give a longer --lifetime`);
  }
  return last;
}

/** What follows from the pages. */
export type Content = Omit<PagesFields, 'name' | 'seq' | 'created' | 'notAfter'>;

/**
 * Writes a manifest with a higher number than the last one, here or, by the clock, anywhere. `check` looks at the last one
 * while no other process can write. `mustHold` is of a lock that is held around this.
 */
export async function writeManifest(
  folder: string,
  publication: Publication,
  content: Content,
  terminal: Terminal,
  check: (last: PagesFields | undefined) => void,
  mustHold: MustHold = () => {},
): Promise<PagesManifest> {
  const { name, lifetimeMs, keys } = publication;
  return runAlone(join(folder, 'publish.lock'), terminal, async (mustHoldOwn) => {
    const mustHoldBoth = () => {
      mustHold();
      mustHoldOwn();
    };
    const last = await readStanding(folder, publication);
    check(last);
    const nowMs = Date.now();
    const fields: PagesFields = {
      name,
      seq: Math.max((last?.seq ?? 0) + 1, Math.floor(nowMs / 1000)),
      created: new Date(nowMs).toISOString(),
      notAfter: new Date(nowMs + lifetimeMs).toISOString(),
      ...content,
    };
    readPagesFields(fields);
    const manifest = keys ? await signFields(pagesManifest, fields, keys, 'manifest') : fields;
    const bytes = Buffer.from(JSON.stringify(manifest));
    await writeAtomically(join(folder, MANIFEST), bytes, mustHoldBoth);
    mustHoldBoth();
    await removeLeftovers(folder, `.${MANIFEST}.`);
    return manifest;
  });
}
