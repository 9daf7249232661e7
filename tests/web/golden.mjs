// The golden files for pages: the manifests' entries, with their keys, answers and bytes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../package/workspace.mjs';

function readGolden(folder) {
  const read = (file, encoding) => readFileSync(join(root, folder, file), encoding);
  const { lists, files } = JSON.parse(read('manifest.json', 'utf8'));
  return files.map(({ present, absent, answers, ...one }) => ({
    ...one,
    present: lists[present],
    absent: lists[absent]?.map((key, i) => ({ key, has: answers[i] === '1' })),
    bytes: read(one.file, 'hex'),
  }));
}

/** Keys and bytes are hexadecimal; the indices of a bit array are not. */
export const golden = [...readGolden('tests/vectors/v1'), ...readGolden('tests/vectors/v1/url')];
