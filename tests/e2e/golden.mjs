// The golden files for pages: the manifests' entries, with their keys, answers and bytes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

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

/** For each class of tamis/read: its name, its type, and a small golden file with elements and their answers. */
export const filesOfClasses = (read) =>
  Object.entries(read)
    .filter(([, Class]) => typeof Class.fromBytes === 'function')
    .map(([name, Class]) => {
      const { type } = Class.prototype;
      const kind = type === 'bit-array' ? 'scattered' : 'three-keys';
      const { bytes, present, absent } = golden.find(
        ({ file }) => file === `${type}-${kind}.tamis`,
      );
      return {
        name,
        type,
        bytes,
        elements: [...present, ...absent.map(({ key }) => key)],
        answers: [...present.map(() => true), ...absent.map(({ has }) => has)],
      };
    });
