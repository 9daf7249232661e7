import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildPages, type HashedKeys } from 'tamis/pages';
import { readNamed } from '../../pages/steps.js';
import { STANDARD_INPUT } from '../files/lists.js';
import { checkStandardInput } from '../files/questions.js';
import { checkTypeOptions, figuresAsJson, hashingOptions, readSize } from '../frame/arguments.js';
import { command, dropUndefined } from '../frame/command.js';
import { CommandError, tellAbout, UsageError } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import { hashList, type KeyRules, keyOptions, keyRulesOf } from './keys.js';
import { excludeOption, pagesOption, readShape, shapeOptions, typeOption } from './options.js';
import {
  OLD_FILES,
  publicationOf,
  publicationOptions,
  reportPages,
  savingKey,
} from './publication.js';
import { showSteps, toCommandError } from './steps.js';

export const shard = command({
  usage: 'shard LIST -o FOLDER',
  summary: 'cuts a long list into pages for a static host',
  about:
    'Cuts the keys in LIST into pages, each a filter that clients fetch and verify on its own. Writes them to FOLDER for a static host, with a manifest.',
  operands: {
    LIST: 'files with a key on each line, plain or gzip, or - for standard input; for bloomier a key, a tab and a value',
  },
  expected: [1, Number.POSITIVE_INFINITY, 'one LIST or more, files or - for standard input'],
  options: {
    output: {
      short: 'o',
      value: 'FOLDER',
      help: 'the folder to serve; made if missing; needed',
      required: true,
    },
    type: typeOption,
    ...shapeOptions,
    exclude: { ...excludeOption, help: `${excludeOption.help}; needed` },
    pages: { ...pagesOption, help: `${pagesOption.help} (default: by the keys in LIST)` },
    memory: {
      value: 'SIZE',
      help: 'the memory for keys, such as 200MB or 1GB, besides about 100 MB for the program; the files do not depend on it',
      default: '200MB',
      read: readSize,
    },
    ...publicationOptions,
    ...hashingOptions,
    ...keyOptions,
    json: figuresAsJson,
  },
  notes: [
    'The same keys give the same files, in any order, with any --memory. During the run, keys are stored in FOLDER/.spill, 8 bytes each, or 12 for a map.',
    'If a run was killed, the same command continues it. It begins again if the lists were not read to their end, or if it reads standard input.',
    'Only one run at a time can work in FOLDER. If a run was killed on another machine or in another container, the next one waits for half a minute.',
    'Serve manifest.json with a short max-age, the other files for ever.',
    OLD_FILES,
  ],
  async run(values, lists, terminal) {
    const { output: folder, name, type, exclude, json } = values;
    if (type === 'exact' && exclude === undefined) {
      throw new UsageError('shard: expected --exclude LIST2, which --type exact needs');
    }
    checkTypeOptions({ exclude: excludeOption }, type, values);
    const others = exclude === undefined ? [] : [exclude];
    checkStandardInput('shard', [...lists, ...others, values.sign]);
    const rules = keyRulesOf(values);
    const { shape } = await readShape(values);
    const steps = showSteps(terminal);
    try {
      // Throws, before the lists are read, if the folder contains another list.
      await readNamed(folder, name);
      const publication = await publicationOf(values, folder, terminal);
      const files = await Promise.all([...lists, ...others].map(describeFile));
      const how = { isMap: type === 'bloomier', secret: shape.secret };
      const keys = readLists(lists, rules, how, terminal);
      const mark = values.comments ? Array.from(values.comments) : null; // as a value of JSON
      const source = [files, lists.length, rules.encoding.name, mark, values['max-line']];
      const more = {
        ...shape,
        exclude: exclude === undefined ? undefined : hashList(exclude, rules, how, terminal),
        expectedKeys: expectedKeys(files),
        signingKeys: publication.keys,
        publicKeys: values['old-key'],
        pages: values.pages,
      };
      const { manifest } = await buildPages(keys, folder, {
        ...dropUndefined(more),
        name,
        type,
        memoryBytes: values.memory,
        lifetimeMs: values.lifetime,
        files: values.files,
        resume: JSON.stringify(source), // a killed run is continued if this text is the same
        onProgress: savingKey(steps.report, publication.keys),
      });
      // The progress line is removed before the figures are printed.
      steps.stop();
      await reportPages(folder, manifest, publication.keys, { json, terminal });
    } catch (error) {
      throw toCommandError(folder, error);
    } finally {
      steps.stop();
    }
  },
});

/** Yields the hashes of all lists, one list after another. Throws if no list has a key. */
async function* readLists(
  paths: readonly string[],
  rules: KeyRules,
  options: Parameters<typeof hashList>[2],
  terminal: Terminal,
): AsyncGenerator<HashedKeys> {
  let isEmpty = true;
  for (const path of paths) {
    for await (const batch of hashList(path, rules, options, terminal)) {
      yield batch;
      isEmpty &&= batch.hashes.length === 0;
    }
  }
  if (isEmpty)
    throw new CommandError(`${paths.join(', ')}: an empty list: expected a key on each line`);
}

/** The approximate number of bytes that a key takes in a list. */
const LINE_BYTES = 12;

/** The approximate number of keys; undefined if a file's size is unknown, because the sum is then NaN. */
function expectedKeys(files: readonly FileFacts[]): number | undefined {
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? Number.NaN), 0);
  return Number.isNaN(bytes) ? undefined : Math.ceil(bytes / LINE_BYTES);
}

interface FileFacts {
  readonly path: string;
  readonly bytes: number | undefined;
  /** Identifies a file and its content; random for a source that can be read only once. */
  readonly id: string;
}

async function describeFile(path: string): Promise<FileFacts> {
  const readOnce = { path, bytes: undefined, id: randomUUID() };
  if (path === STANDARD_INPUT) return readOnce;
  const file = await tellAbout(path, () => stat(path, { bigint: true }));
  if (!file.isFile()) return readOnce;
  // Many tools can set mtime, and so hide a change. None can set ctime.
  const { dev, ino, mtimeNs, ctimeNs } = file;
  const id = `${dev} ${ino} ${mtimeNs} ${ctimeNs}`;
  return { path: resolve(path), bytes: Number(file.size), id };
}
