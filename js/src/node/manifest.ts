import { PageBuilder, type PageShape, type PageType } from '../pages/index.js';
import { figuresAsJson } from './arguments.js';
import { command } from './command.js';
import { CommandError, describe } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { checkParts, publishPages, renewManifest } from './page-folder.js';
import { type BuiltPart, findParts } from './page-parts.js';
import { OLD_FILES, publicationOf, publicationOptions, reportPages } from './page-publication.js';

/** `tamis manifest FOLDER`: what tamis pages built becomes what a static host serves. */
export const manifest = command({
  usage: 'manifest FOLDER',
  summary: 'publishes built pages, with a signed manifest',
  about:
    'Checks that each page that tamis pages built is in FOLDER once. Writes them with their proofs, in parts for a static host, and manifest.json last.',
  operands: { FOLDER: 'the folder of the built pages' },
  expected: [1, 1, 'one FOLDER, which tamis pages wrote'],
  options: {
    output: { short: 'o', value: 'FOLDER', help: 'the folder to serve (default: the same one)' },
    ...publicationOptions,
    json: figuresAsJson,
  },
  notes: [
    'Serve manifest.json with a short max-age, and the files that end with .pages or .page and begin with NAME for ever. What begins with part- is no longer needed.',
    OLD_FILES,
    'In a folder without built pages it writes a manifest of the same pages that clients trust for longer.',
  ],
  async run(values, [folder]: readonly [string], terminal) {
    const { output = folder, json } = values;
    const publication = await publicationOf(values);
    const parts = await findParts(folder);
    if (parts.length > 0) checkParts(parts, folder);
    const made =
      parts.length > 0
        ? await publishPages(parts, output, sizerOf(parts[0] as BuiltPart), publication, terminal)
        : await renewManifest(output, publication, terminal);
    await reportPages(output, made, publication, { json, terminal });
    return SUCCESS;
  },
});

/** What knows how long pages are, of the facts that stand beside them. */
function sizerOf({ facts, path }: BuiltPart): PageBuilder {
  const { type, hash: _, seed: __, keyCheck: ___, ...shape } = facts;
  try {
    return new PageBuilder(type as PageType, shape as PageShape);
  } catch (error) {
    throw new CommandError(`${path}.json: ${describe(error)}`, { cause: error });
  }
}
