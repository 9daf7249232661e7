// The tables of tests/vectors/README.md, from the manifests of the golden files: one for each type.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const folders = ['v1', 'v1/url'];

/** The number of a file's bytes, its hash id and its seed, or nothing for a file that is too short for them. */
function headOf(path) {
  const bytes = readFileSync(path);
  if (bytes.length < 24) return { bytes };
  return { bytes, id: bytes[11], seed: bytes.readBigUInt64LE(16) };
}

const rowOf = (lists) => (entry) => {
  const { bytes, id, seed } = headOf(join(root, 'tests/vectors', entry.folder, entry.file));
  const name = `\`${entry.file.replace('.tamis', '')}\``;
  const head = [name, bytes.length, entry.key === undefined ? '' : `\`${entry.key}\``];
  if (!entry.valid)
    return [...head, '', '', '', '', `\`${entry.error.replace('ERR_TAMIS_', '')}\``];
  const ones = entry.answers.split('1').length - 1;
  const hex = entry.type === 'url-delta' || seed === 0n ? '' : `\`${seed.toString(16)}\``;
  return [...head, id, hex, lists[entry.present].length, `${entry.answers.length}: ${ones}`, ''];
};

/** One table for each type, after its name. */
export function vectorTables() {
  const tables = new Map();
  for (const folder of folders) {
    const text = readFileSync(join(root, 'tests/vectors', folder, 'manifest.json'), 'utf8');
    const { lists, files } = JSON.parse(text);
    for (const entry of files) {
      const rows = tables.get(entry.type) ?? [];
      rows.push(rowOf(lists)({ ...entry, folder }));
      tables.set(entry.type, rows);
    }
  }
  return [...tables]
    .map(([type, rows]) => {
      const valid = rows.filter((row) => row.at(-1) === '');
      const refused = rows.filter((row) => row.at(-1) !== '');
      const lines = [...valid, ...refused].map((row) => `| ${row.join(' | ')} |`);
      return [
        `### ${type}`,
        '',
        `${valid.length} files to read, ${refused.length} to refuse.`,
        '',
        '| file | bytes | secret key | hash id | seed | in | others: in | refuse by |',
        '| --- | --- | --- | --- | --- | --- | --- | --- |',
        ...lines,
      ].join('\n');
    })
    .join('\n\n');
}
