// Renews the manifest of pages that a folder already holds.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  leafBytesOf,
  type PagesFields,
  type PagesManifest,
  type Publication,
  pagesInPart,
  partName,
  readStanding,
  rootOf,
  sha256Sync,
  writeManifest,
} from '../../pages/steps.js';
import { CommandError, tellAbout } from '../frame/errors.js';
import { formatCount } from '../frame/format.js';
import { startProgress } from '../frame/progress.js';
import type { Terminal } from '../frame/terminal.js';
import { showSteps } from './steps.js';

/** Writes a manifest of the same pages with a later end. */
export async function renewManifest(
  folder: string,
  publication: Publication,
  terminal: Terminal,
): Promise<PagesManifest> {
  const last = await readStanding(folder, publication);
  if (last === undefined) throw new CommandError(`${folder}: no manifest to renew`);
  if (publication.isApart && last.pagesPerPart > 1) {
    throw new CommandError(`${folder}: --files page needs the pages that tamis pages built`);
  }
  await checkFiles(folder, last, terminal);
  const check = (now: PagesFields | undefined) => {
    if (now?.root === last.root) return;
    throw new CommandError(`${folder}: other pages were published meanwhile: nothing was renewed`);
  };
  return writeManifest(folder, publication, last, check, showSteps(terminal));
}

/** Checks that all files exist, and that each page matches the manifest. Throws a CommandError that names the file. */
async function checkFiles(folder: string, last: PagesFields, terminal: Terminal): Promise<void> {
  const { pages, stride } = last;
  const bar = startProgress(terminal, 'checking', 'bytes', pages * stride);
  try {
    for (let part = 0; part < last.parts; part++) {
      const path = join(folder, partName(last, part));
      const bytes = await readWhole(path, stride * pagesInPart(part, last));
      await checkPages(bytes, part * last.pagesPerPart, last, path);
      bar.update(part * last.pagesPerPart * stride + bytes.length);
    }
  } finally {
    bar.stop();
  }
}

const readWhole = (path: string, expected: number): Promise<Buffer> =>
  tellAbout(path, async () => {
    // A file that is too long is not read.
    const { size } = await stat(path);
    if (size === expected) return readFile(path);
    throw new CommandError(`${path}: expected ${expected} bytes, found ${size}`);
  });

async function checkPages(
  bytes: Buffer,
  first: number,
  last: PagesFields,
  path: string,
): Promise<void> {
  const known = {};
  const room = leafBytesOf(last);
  for (let at = 0, page = first; at < bytes.length; at += last.stride, page++) {
    const content = bytes.subarray(at, at + room);
    const proof = bytes.subarray(at + room, at + last.stride);
    const root = await rootOf(page, content, proof, known, sha256Sync);
    if (Buffer.from(root).toString('hex') === last.root) continue;
    const what = `page ${formatCount(page)} is damaged`;
    throw new CommandError(`${path}: ${what}: publish the pages again, without --renew`);
  }
}
