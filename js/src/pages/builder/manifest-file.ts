// The manifest in a folder: reads the last one, and writes the next.

import { join } from 'node:path';
import { type PublicKey, type SigningKeys, trustKeys } from '../../core/signed/keys.js';
import { signFields } from '../../core/signed/manifest.js';
import {
  codeOf,
  FileError,
  type MustHold,
  readIfThere,
  removeLeftovers,
  withLock,
  writeAtomically,
} from '../../disk/index.js';
import {
  openPagesManifest,
  type PagesFields,
  type PagesManifest,
  pagesManifest,
  readPagesFields,
} from '../manifest.js';
import type { PagesProgress } from '../options.js';

/** The context of one call's steps. */
export interface PublishSteps {
  /** Reports the progress of a step. Throws if the caller's signal aborted. */
  readonly report: (progress: PagesProgress) => void;
  /** Throws if the lock around the steps is lost. */
  readonly mustHold: MustHold;
  readonly signal?: AbortSignal | undefined;
  /** True if files stay after a failed step, for a run that continues. */
  readonly keeps: boolean;
}

/** The fields of a manifest that do not depend on the pages. */
export interface Publication {
  readonly name: string;
  readonly lifetimeMs: number;
  /** True if each page is its own file. */
  readonly isApart: boolean;
  /** The signing keys; undefined for an unsigned manifest. */
  readonly keys: SigningKeys | undefined;
  /** Further public keys that may have signed the manifest in the folder. */
  readonly oldKeys: readonly PublicKey[];
}

export const MANIFEST = 'manifest.json';

/**
 * Reads the manifest of a list, without a check of its signature; undefined if there is none. Throws
 * ERR_TAMIS_INCOMPATIBLE if the folder holds another list.
 */
export async function readNamed(folder: string, name: string): Promise<Buffer | undefined> {
  const path = join(folder, MANIFEST);
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const manifest = await openPagesManifest(bytes, null).catch((cause) => {
    const message = `${path}: no manifest of pages: ${cause.message} (${cause.code})`;
    throw new FileError(cause.code, message, { cause });
  });
  if (manifest.name === name) return bytes;
  const message = `${folder}: holds the list ${manifest.name}, not ${name}`;
  throw new FileError('ERR_TAMIS_INCOMPATIBLE', message);
}

/**
 * Reads the current manifest of a folder; undefined if there is none. Throws if it cannot have a successor: a signed
 * manifest never follows one that others may have written.
 */
export async function readStanding(
  folder: string,
  { name, lifetimeMs, keys, oldKeys }: Publication,
): Promise<PagesFields | undefined> {
  const bytes = await readNamed(folder, name);
  if (bytes === undefined) return undefined;
  const known = keys ? await trustKeys([keys.publicKey, ...oldKeys]) : null;
  const last = await openPagesManifest(bytes, known).catch((cause) => {
    const isSigned = codeOf(cause) === 'ERR_TAMIS_BAD_SIGNATURE';
    const what = isSigned ? 'not signed by the key of `sign`' : 'nobody signed it';
    const way = `${isSigned ? 'give `publicKeys`, ' : ''}take another folder, or remove it`;
    const message = `${join(folder, MANIFEST)}: ${what} (ERR_TAMIS_BAD_SIGNATURE): ${way}`;
    throw new FileError('ERR_TAMIS_BAD_SIGNATURE', message, { cause });
  });
  if (last.seq === Number.MAX_SAFE_INTEGER) {
    const message = `${folder}: no sequence follows ${last.seq}: remove manifest.json`;
    throw new FileError('ERR_TAMIS_ROLLBACK', message);
  }
  const nowMs = Date.now();
  if (nowMs + lifetimeMs <= Date.parse(last.created)) {
    const now = new Date(nowMs).toISOString();
    const what = `the clock says ${now}, more than the lifetime before the version of ${last.created}`;
    const message = `${folder}: ${what}: set the clock, or give a longer \`lifetimeMs\``;
    throw new FileError('ERR_TAMIS_ROLLBACK', message);
  }
  return last;
}

/**
 * Writes a manifest whose number is above that of the last one, and at least the time in seconds. `content` has the
 * fields that depend on the pages. `check` receives the last manifest while no other process can write.
 */
export async function writeManifest(
  folder: string,
  publication: Publication,
  content: object,
  check: (last: PagesFields | undefined) => void,
  { report, mustHold, signal }: PublishSteps,
): Promise<PagesManifest> {
  const { name, lifetimeMs, keys } = publication;
  const publish = async (mustHoldOwn: MustHold) => {
    const mustHoldBoth = () => {
      mustHold();
      mustHoldOwn();
    };
    const last = await readStanding(folder, publication);
    check(last);
    const nowMs = Date.now();
    const fields = readPagesFields({
      ...content,
      name,
      seq: Math.max((last?.seq ?? 0) + 1, Math.floor(nowMs / 1000)),
      created: new Date(nowMs).toISOString(),
      notAfter: new Date(nowMs + lifetimeMs).toISOString(),
    });
    const manifest = keys ? await signFields(pagesManifest, fields, keys, 'manifest') : fields;
    const bytes = Buffer.from(JSON.stringify(manifest));
    await writeAtomically(join(folder, MANIFEST), bytes, mustHoldBoth);
    mustHoldBoth();
    await removeLeftovers(folder, `.${MANIFEST}.`);
    return manifest;
  };
  const onWait = (lock: string) => report({ step: 'waiting', done: 0, path: lock });
  return withLock(join(folder, 'publish.lock'), publish, { signal, onWait });
}
