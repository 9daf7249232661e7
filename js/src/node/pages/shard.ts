import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { version } from 'tamis';
import type { PageBuilder, PagesManifest } from '../../pages/index.js';
import { STANDARD_INPUT } from '../files/lists.js';
import { type MustHold, runAlone } from '../files/locks.js';
import { figuresAsJson, readSipKey, readSize } from '../frame/arguments.js';
import { command, type Options, type ValuesOf } from '../frame/command.js';
import { prefixError, prefixFileError, UsageError } from '../frame/errors.js';
import { SUCCESS } from '../frame/exit-codes.js';
import type { Terminal } from '../frame/terminal.js';
import { checkParts, publishPages } from './folder.js';
import { checkLists, type KeyRules, keyOptions, keyRulesOf } from './keys.js';
import { checkName, type Publication, readStanding } from './manifest-file.js';
import {
  builderOf,
  hashingOptions,
  pagesOption,
  requireName,
  shapeOptions,
  typeOption,
} from './options.js';
import { findParts, removeParts } from './parts.js';
import { OLD_FILES, publicationOf, publicationOptions, reportPages } from './publication.js';
import { type ShardJob, shardPages } from './shard-job.js';

const options = {
  output: {
    short: 'o',
    value: 'FOLDER',
    help: 'the folder to serve; made if there is none; needed',
  },
  type: typeOption,
  ...shapeOptions,
  exclude: { value: 'LIST2', help: 'exact: a list of keys that are certainly absent; needed' },
  pages: { ...pagesOption, help: `${pagesOption.help} (default: by the keys in LIST)` },
  memory: {
    value: 'SIZE',
    help: 'the memory for keys, such as 200MB or 1GB, beside some 100 MB of the program; the files do not depend on it',
    default: '200MB',
    read: readSize,
  },
  ...publicationOptions,
  ...hashingOptions,
  ...keyOptions,
  json: figuresAsJson,
} as const satisfies Options;

const SPILL = '.spill';

/** `tamis shard LIST... -o FOLDER`: keys in, a folder for a static host out, on one machine. */
export const shard = command({
  usage: 'shard LIST -o FOLDER',
  summary: 'cuts a long list into pages for a static host',
  about:
    'Cuts the keys in LIST into pages, each a filter that clients fetch and verify alone. Writes them to FOLDER for a static host, with a manifest.',
  operands: {
    LIST: 'files with a key on each line, plain or gzip, or - for standard input; for bloomier a key, a tab and a value',
  },
  expected: [1, Number.POSITIVE_INFINITY, 'one LIST or more, files or - for standard input'],
  options,
  notes: [
    'The same keys give the same files, in any order, with any --memory. Keys wait on disk in FOLDER/.spill, 8 bytes each, or 12 of a map.',
    'A run that was killed goes on when you give the same command again. Where it was reading the lists, or reads standard input, it begins anew.',
    'One run at a time works in FOLDER, and another is refused. After a run that was killed on another machine or in another container it waits for half a minute.',
    'Serve manifest.json with a short max-age, the other files for ever.',
    OLD_FILES,
  ],
  async run(values, lists, terminal) {
    const { output: folder, type, exclude, json } = values;
    if (!folder) throw new UsageError('shard: expected -o FOLDER, where to write to');
    if (type === 'exact' && exclude === undefined) {
      throw new UsageError('shard: expected --exclude LIST2, which --type exact needs');
    }
    if (type !== 'exact' && exclude !== undefined) {
      throw new UsageError(`--exclude: an option of --type exact, not of ${type}`);
    }
    checkLists('shard', exclude === undefined ? lists : [...lists, exclude]);
    const rules = keyRulesOf(values);
    const builder = await builderOf(values);
    // It may take hours until the manifest is written, which another list there would prevent.
    await checkName(folder, requireName('shard', values.name));
    const publication = await publicationOf('shard', values);
    await readStanding(folder, publication);
    try {
      const job = await jobOf(values, rules, lists, builder);
      await mkdir(folder, { recursive: true });
      const lock = join(folder, `${SPILL}.lock`);
      const run = (mustHold: MustHold) => shardInto(folder, job, publication, terminal, mustHold);
      const manifest = await runAlone(lock, terminal, run, { waits: false });
      await reportPages(folder, manifest, publication, { json, terminal });
    } catch (error) {
      throw prefixFileError(folder, error);
    }
    return SUCCESS;
  },
});

/** Builds the pages and publishes them, where no other process does. */
async function shardInto(
  folder: string,
  job: ShardJob,
  publication: Publication,
  terminal: Terminal,
  mustHold: MustHold,
): Promise<PagesManifest> {
  const spill = join(folder, SPILL);
  await rm(`${spill}-old`, { recursive: true, force: true });
  await shardPages(job, spill, terminal, mustHold);
  const parts = await findParts(spill);
  checkParts(parts, spill);
  const manifest = await publishPages(parts, folder, job.builder, publication, terminal, mustHold);
  mustHold();
  // What tamis pages built there before is of an older list.
  await removeParts(folder);
  mustHold();
  // In one step, so that no later run takes a half of it for its own.
  await rename(spill, `${spill}-old`);
  await rm(`${spill}-old`, { recursive: true, force: true });
  return manifest;
}

type Values = ValuesOf<typeof options>;

async function jobOf(
  values: Values,
  rules: KeyRules,
  lists: readonly string[],
  builder: PageBuilder,
): Promise<ShardJob> {
  const { exclude, pages, memory: memoryBytes, seed = 0n } = values;
  const all = { keys: lists, excluded: exclude === undefined ? [] : [exclude] };
  const files = await Promise.all([...all.keys, ...all.excluded].map(describeFile));
  return {
    lists: all,
    rules,
    sipKey: await readSipKey(values['key-file']),
    builder,
    seed,
    pages,
    memoryBytes,
    listBytes: sum(files.map(({ bytes }) => bytes)),
    identity: JSON.stringify([
      version,
      files,
      lists.length,
      builder.facts,
      pages ?? null,
      ...rulesOf(rules),
    ]),
  };
}

const sum = (numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.reduce((all, one) => (all === undefined || one === undefined ? undefined : all + one), 0);

const rulesOf = ({ encoding, comments, 'max-line': most }: KeyRules): unknown[] => [
  encoding.name,
  comments ? Array.from(comments) : null,
  most,
];

interface FileFacts {
  readonly path: string;
  readonly bytes: number | undefined;
  /** Tells it from a file that takes its place, and from itself when it changes; for what can be read once only, this run. */
  readonly id: string;
}

async function describeFile(path: string): Promise<FileFacts> {
  const once = { path, bytes: undefined, id: randomUUID() };
  if (path === STANDARD_INPUT) return once;
  try {
    const file = await stat(path, { bigint: true });
    if (!file.isFile()) return once;
    // Many tools set mtime, and none sets ctime.
    const { dev, ino, mtimeNs, ctimeNs } = file;
    const id = `${dev} ${ino} ${mtimeNs} ${ctimeNs}`;
    return { path: resolve(path), bytes: Number(file.size), id };
  } catch (error) {
    throw prefixError(path, error);
  }
}
