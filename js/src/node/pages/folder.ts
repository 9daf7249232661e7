// What a static host serves: parts of pages with their proofs, then the manifest that names them.

import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  digestBytes,
  type Layout,
  leafBytesOf,
  MerkleTree,
  type PageBuilder,
  type PagesFields,
  type PagesManifest,
  pagesInPart,
  partName,
} from '../../pages/index.js';
import { ignoreAbsence, removeLeftovers } from '../files/files.js';
import type { MustHold } from '../files/locks.js';
import { CommandError, describe, prefixError } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';
import { startProgress } from '../frame/progress.js';
import type { Terminal } from '../frame/terminal.js';
import { type Publication, readStanding, writeManifest } from './manifest-file.js';
import { type BuiltPart, type PageFacts, readPages, writeAll } from './parts.js';

/** As the tree of pages takes it. */
export const sha256 = (bytes: Uint8Array): Uint8Array =>
  createHash('sha256').update(bytes).digest();

/** The parts are one set: each page is there once, and all were made alike. Throws a CommandError. */
export function checkParts(parts: readonly BuiltPart[], folder: string): void {
  const [one] = parts;
  if (one === undefined) {
    throw new CommandError(`${folder}: no parts of tamis pages; --renew is for pages as they are`);
  }
  let next = 0;
  let before = one;
  for (const part of parts) {
    for (const [name, here, there] of differences(part, one)) {
      throw new CommandError(
        `${part.path}: ${name} is ${here} here and ${there} in ${one.path}: build all parts alike`,
      );
    }
    if (part.first > next) throw missing(next, part.first - 1, folder);
    if (part.first < next) {
      const page = formatCount(part.first);
      throw new CommandError(`${part.path}: page ${page} is there twice, also in ${before.path}`);
    }
    next = part.last + 1;
    before = part;
  }
  if (next < one.pages) throw missing(next, one.pages - 1, folder);
}

function missing(from: number, to: number, folder: string): CommandError {
  const pages = from === to ? `page ${formatCount(from)} is` : `pages ${from} to ${to} are`;
  return new CommandError(
    `${folder}: ${pages} missing: run tamis pages for them, with --range and --run`,
  );
}

function* differences(
  part: BuiltPart,
  other: BuiltPart,
): Generator<readonly [name: string, here: unknown, there: unknown]> {
  const [here, there]: PageFacts[] = [part, other].map(({ facts, pages, origin }) => ({
    // First, since parts of two runs may differ in all.
    ...(origin && { run: origin.run, name: origin.name }),
    pages,
    ...facts,
    ...(origin && { 'the id of the closing lines': origin.closing }),
  }));
  for (const name of new Set([...Object.keys(here as object), ...Object.keys(there as object)])) {
    const [one, two] = [here?.[name] ?? 'absent', there?.[name] ?? 'absent'];
    if (one !== two) yield [name, one, two];
  }
}

/** The parts are those of tamis pages for a list of this name. Throws a CommandError. */
export function checkOrigins(parts: readonly BuiltPart[], name: string): void {
  let records = 0;
  for (const { path, origin } of parts) {
    if (origin === undefined) throw new CommandError(`${path}: not of tamis pages`);
    if (origin.name !== name) {
      throw new CommandError(`${path}: is of the list ${origin.name}, not of ${name}`);
    }
    records += origin.records;
    if (records <= origin.hashed) continue;
    const found = `${formatCount(records)} records so far, and the closing lines say ${formatCount(origin.hashed)}`;
    throw new CommandError(`${path}: ${found}: hash and sort anew`);
  }
}

const sumOf = (parts: readonly BuiltPart[], list: 'keys' | 'excluded'): number =>
  parts.reduce((sum, part) => part[list].reduce((all, one) => all + one, sum), 0);

/** The longest page that there is room for. Throws a CommandError where a page is longer. */
function checkSizes(parts: readonly BuiltPart[], room: number): void {
  for (const { first, pages, sizes, keys } of parts) {
    for (const [i, size] of sizes.entries()) {
      if (size > room) throw fullError(first + i, keys[i] as number, { size, room, pages });
    }
  }
}

function fullError(
  page: number,
  keys: number,
  { size, room, pages }: { size: number; room: number; pages: number },
): CommandError {
  const what = `page ${formatCount(page)} is too full: ${pluralize(keys, 'key')} take ${formatCount(size)} bytes, and there are ${formatCount(room)}`;
  return new CommandError(`${what}: give a larger --pages, such as ${Math.ceil(pages * 1.5) + 1}`);
}

/**
 * Writes the parts and the manifest of pages that were built. What is there already is not written again. `mustHold` is of
 * a lock that is held around this.
 */
export async function publishPages(
  parts: readonly BuiltPart[],
  folder: string,
  builder: Pick<PageBuilder, 'layoutFor'>,
  publication: Publication,
  terminal: Terminal,
  mustHold: MustHold = () => {},
): Promise<PagesManifest> {
  const { pages, facts } = parts[0] as BuiltPart;
  const keys = sumOf(parts, 'keys');
  if (keys === 0) throw new CommandError(`${folder}: expected a key, the pages have none`);
  const counts = [keys, sumOf(parts, 'excluded'), pages] as const;
  const layout = layoutOf(builder, ...counts, publication.isApart);
  const { stride } = layout;
  const room = leafBytesOf(layout);
  checkSizes(parts, room);
  const bar = startProgress(terminal, 'writing', 'bytes', 2 * pages * stride);
  try {
    await mkdir(folder, { recursive: true });
    const { name } = publication;
    // Before the pages are read.
    await readStanding(folder, publication);
    const leaves = new Uint8Array(digestBytes * pages);
    let page = 0;
    for await (const file of readPages(parts)) {
      const hash = createHash('sha256')
        .update(file)
        .update(Buffer.alloc(room - file.length));
      leaves.set(hash.digest(), digestBytes * page++);
      bar.update(page * stride);
    }
    const tree = new MerkleTree(leaves, sha256);
    const root = Buffer.from(tree.root).toString('hex');
    const check = (last: PagesFields | undefined) => checkAge(parts, last, root);
    check(await readStanding(folder, publication));
    await writeParts(
      parts,
      tree,
      layout,
      (part) => join(folder, partName({ name, root, ...layout }, part)),
      () => bar.update(++page * stride),
    );
    mustHold();
    await removeLeftovers(folder, `${name}.${root.slice(0, 16)}.`);
    const { type, hash, seed, keyCheck } = facts as unknown as PagesFields;
    const more = keyCheck === undefined ? {} : { keyCheck };
    const content = { type, hash, seed, ...more, keys, ...layout, root };
    return await writeManifest(folder, publication, content, terminal, check, mustHold);
  } catch (error) {
    throw prefixError(folder, error);
  } finally {
    bar.stop();
  }
}

function layoutOf(
  builder: Pick<PageBuilder, 'layoutFor'>,
  keys: number,
  excluded: number,
  pages: number,
  isApart: boolean,
): Layout {
  try {
    return builder.layoutFor(keys, excluded, pages, isApart);
  } catch (error) {
    throw new CommandError(`${describe(error)}: give a larger --pages`, { cause: error });
  }
}

/** Writes each part to another name, and renames it when it is whole. */
async function writeParts(
  parts: readonly BuiltPart[],
  tree: MerkleTree,
  layout: Layout,
  pathOf: (part: number) => string,
  done: () => void,
): Promise<void> {
  const { stride, pagesPerPart } = layout;
  let buffer = Buffer.alloc(0);
  let page = 0;
  for await (const file of readPages(parts)) {
    const at = (page % pagesPerPart) * stride;
    if (at === 0) buffer = Buffer.alloc(stride * pagesInPart(page / pagesPerPart, layout));
    buffer.set(file, at);
    buffer.set(tree.proofOf(page), at + leafBytesOf(layout));
    page++;
    done();
    if (at + stride === buffer.length)
      await writePart(pathOf(Math.ceil(page / pagesPerPart) - 1), buffer);
  }
}

async function writePart(path: string, bytes: Uint8Array): Promise<void> {
  if (await holds(path, bytes)) return;
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(temporary, 'wx');
    try {
      writeAll(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw prefixError(path, error);
  }
}

/** Whether a file has these bytes. Its length alone does not say: a disk or a copy may have damaged it. */
async function holds(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const found = await stat(path).catch(ignoreAbsence);
    return found?.size === bytes.length && (await readFile(path)).equals(bytes);
  } catch (error) {
    throw prefixError(path, error);
  }
}

/** Throws a CommandError for parts that were built before other pages were published. */
function checkAge(parts: readonly BuiltPart[], last: PagesFields | undefined, root: string): void {
  if (last === undefined || last.root === root) return;
  for (const { path, origin } of parts) {
    if (origin === undefined || Date.parse(origin.built) >= Date.parse(last.created)) continue;
    const older = `built ${origin.built}, before the manifest of ${last.created}`;
    throw new CommandError(`${path}: ${older}: build the parts anew, or remove them`);
  }
}
