import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BuiltPart,
  checkParts,
  findParts,
  leafBytesOf,
  PageBuilder,
  type PageShape,
  type PagesFields,
  type PagesManifest,
  type PageType,
  pagesInPart,
  partName,
  publishPages,
  readStanding,
  removeBuilt,
  removePublished,
  rootOf,
  sha256Sync,
  writeManifest,
} from '../../pages/steps.js';
import { figuresAsJson } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { CommandError, tellAbout, UsageError } from '../frame/errors.js';
import { formatCount } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import {
  type KeyedPublication,
  OLD_FILES,
  publicationOf,
  publicationOptions,
  reportPages,
  savingKey,
} from './publication.js';
import { showSteps, toCommandError } from './steps.js';

export const manifest = command({
  usage: 'manifest FOLDER',
  summary: 'publishes built pages, with a signed manifest',
  about:
    'Checks that the .part files of tamis pages in FOLDER come from one run, and that each page exists once. Writes the pages with their proofs, in parts for a static host, and manifest.json last. Then it removes the .part files.',
  operands: { FOLDER: 'the folder of the built pages' },
  expected: [1, 1, 'one FOLDER, which tamis pages wrote'],
  options: {
    output: { short: 'o', value: 'FOLDER', help: 'the folder to serve (default: FOLDER)' },
    ...publicationOptions,
    renew: {
      help: 'renews the manifest of the pages that FOLDER serves, so that clients trust them for longer; reads all pages; FOLDER must contain no .part files',
    },
    json: figuresAsJson,
  },
  notes: [
    'Serve manifest.json with a short max-age, and the files that end with .pages or .page and begin with NAME for ever.',
    OLD_FILES,
    'It refuses parts that are older than the manifest in the folder to serve, because that may list newer pages.',
  ],
  async run(values, [folder]: readonly [string], terminal) {
    const { output, renew, json } = values;
    if (renew && output !== undefined) {
      throw new UsageError('--renew works without -o: FOLDER is the folder to serve');
    }
    try {
      const publication = await publicationOf(values, output ?? folder, terminal);
      const wasPublished = await removePublished(folder);
      const parts = await findParts(folder);
      if (wasPublished && parts.length === 0 && !renew) {
        const what = 'was published by a run that was killed while it removed the .part files';
        throw new CommandError(`${folder}: ${what}: nothing is left to do`);
      }
      if (renew && parts[0] !== undefined) {
        const what = 'waits to be published: leave out --renew, or remove the .part files';
        throw new CommandError(`${parts[0].path}: ${what}`);
      }
      const published = renew
        ? await renewManifest(folder, publication, terminal)
        : await publishParts(folder, output ?? folder, parts, publication, terminal);
      await reportPages(output ?? folder, published, publication.keys, { json, terminal });
    } catch (error) {
      throw toCommandError(output ?? folder, error);
    }
  },
});

async function publishParts(
  folder: string,
  output: string,
  parts: readonly BuiltPart[],
  publication: KeyedPublication,
  terminal: Terminal,
): Promise<PagesManifest> {
  const [first] = parts;
  if (first === undefined) {
    throw new CommandError(`${folder}: no parts of tamis pages; --renew is for published pages`);
  }
  checkParts(parts, folder);
  checkOrigins(parts, publication.name);
  const steps = showSteps(terminal);
  try {
    const builder = await builderOf(first);
    const report = savingKey(steps.report, publication.keys);
    const more = { ...steps, report };
    const published = await publishPages(parts, output, builder, publication, more);
    await removeBuilt(folder, parts);
    return published;
  } finally {
    steps.stop();
  }
}

/** Throws a CommandError unless `tamis pages` built all parts, for a list of this name. */
function checkOrigins(parts: readonly BuiltPart[], name: string): void {
  let records = 0;
  for (const { path, origin } of parts) {
    if (origin === undefined) throw new CommandError(`${path}: not a part of tamis pages`);
    if (origin.name !== name) {
      throw new CommandError(`${path}: is of the list ${origin.name}, not of ${name}`);
    }
    records += origin.records;
    if (records <= origin.hashed) continue;
    const counts = `${formatCount(records)} records so far, but the closing lines say ${formatCount(origin.hashed)}`;
    throw new CommandError(`${path}: ${counts}: hash and sort again`);
  }
}

/** Makes the page builder from the options that are stored with the pages, except those that hash keys. */
function builderOf({ facts, path }: BuiltPart): Promise<PageBuilder> {
  const { type, hash: _, seed: __, keyCheck: ___, ...shape } = facts;
  return tellAbout(path, () => new PageBuilder(type as PageType, shape as PageShape));
}

/** Writes a manifest of the same pages that expires later. */
async function renewManifest(
  folder: string,
  publication: KeyedPublication,
  terminal: Terminal,
): Promise<PagesManifest> {
  const last = await readStanding(folder, publication);
  if (last === undefined) throw new CommandError(`${folder}: no manifest to renew`);
  if (publication.isApart && last.pagesPerPart > 1) {
    throw new CommandError(`${folder}: --files page needs the pages that tamis pages built`);
  }
  await checkFiles(folder, last, terminal);
  // Called while no other process can write; `now` is the manifest at that time.
  const check = (now: PagesFields | undefined) => {
    if (now?.root !== last.root) {
      const what = 'other pages were published meanwhile: nothing was renewed';
      throw new CommandError(`${folder}: ${what}`);
    }
    publication.keys?.save();
  };
  return writeManifest(folder, publication, last, check, showSteps(terminal));
}

/** Throws a CommandError, with the file's name, unless all files of `last` exist and each page matches `last`. */
async function checkFiles(folder: string, last: PagesFields, terminal: Terminal): Promise<void> {
  const { pages, stride } = last;
  const bar = terminal.startProgress('checking', 'bytes', pages * stride);
  try {
    for (let part = 0; part < last.parts; part++) {
      const path = join(folder, partName(last, part));
      const expected = stride * pagesInPart(part, last);
      const { size } = await tellAbout(path, () => stat(path));
      // A file of a wrong length is not read.
      if (size !== expected) {
        throw new CommandError(`${path}: expected ${expected} bytes, found ${size}`);
      }
      const bytes = await tellAbout(path, () => readFile(path));
      await checkPages(bytes, part * last.pagesPerPart, last, path);
      bar.update(part * last.pagesPerPart * stride + bytes.length);
    }
  } finally {
    bar.stop();
  }
}

/** Checks the pages in one file. The first of them has the number `first`. */
async function checkPages(
  bytes: Buffer,
  first: number,
  last: PagesFields,
  path: string,
): Promise<void> {
  const knownNodes = {}; // a cache that rootOf fills
  const room = leafBytesOf(last);
  for (let at = 0, page = first; at < bytes.length; at += last.stride, page++) {
    const content = bytes.subarray(at, at + room);
    const proof = bytes.subarray(at + room, at + last.stride);
    const root = await rootOf(page, content, proof, knownNodes, sha256Sync);
    if (Buffer.from(root).toString('hex') === last.root) continue;
    const what = `page ${formatCount(page)} is damaged`;
    throw new CommandError(`${path}: ${what}: publish the pages again, without --renew`);
  }
}
