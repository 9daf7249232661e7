/** tamis shard beside the Python of cpp/format: it writes the golden folders, and Python reads what it writes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

import { budget } from './support/budget.js';
import { folder, put, tamis, textOf } from './support/cli.js';
import { goldenPages, sha256 } from './support/golden-pages.js';
import { putGolden, sumsOf } from './support/page-folders.js';
import { run } from './support/python.js';

const numbered = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, i) => `${name}${i}`);
const named = ['--name', 'list'];

/** Writes a folder of pages. The command warns of few keys per page. */
async function shard(...args: readonly string[]): Promise<void> {
  const { code, err } = await tamis(['shard', ...named, ...args, '-q']);
  expect(code).toBe(0);
  expect(err).toMatch(/^(tamis: \S+: warning: [\d,]+ keys a page, .*\n)?$/);
}

// The command makes at most one page per key, and no page without keys.
const sets = goldenPages.filter(({ keys, manifest }) => manifest.pages <= keys);

test.each(sets.map((set) => [set.name, set] as const))(
  'the golden folder %s',
  async (name, set) => {
    const { hashing, shape, files } = putGolden(set);
    await shard('keys', '-o', 'out', '--name', name, ...hashing, ...shape, ...files);
    expect(readdirSync(join(folder, 'out'))).toEqual(
      expect.arrayContaining(Object.keys(set.files)),
    );
    for (const [file, digest] of Object.entries(set.files)) {
      if (file === 'manifest.json') continue;
      expect(sha256(readFileSync(join(folder, 'out', file))).toString('hex')).toBe(digest);
    }
  },
);

const keys = numbered(budget(1500, 600), 'key');
const others = numbered(budget(9000, 3000), 'other');

test.each([
  ['ribbon', []],
  ['binary-fuse', []],
  ['exact', ['--exclude', 'others']],
  ['bloomier', ['--value-bits', '13']],
  ['ribbon', ['--files', 'page']],
] as const)('Python reads pages of %s', async (type, more) => {
  put('keys', textOf(type === 'bloomier' ? keys.map((key, i) => `${key}\t${i}`) : keys));
  put('others', textOf(others));
  await shard('keys', '-o', 'out', '--type', type, '--pages', '5', '--seed', '12345', ...more);
  const program = `
import read_pages
pages = read_pages.Pages(${JSON.stringify(join(folder, 'out'))}, None)
pages.check()
for line in sys.stdin:
    answer = pages.get(line.strip().encode())
    print('-' if answer is None else int(answer))
`;
  const found = run(program, [...keys, ...others]);
  const present = keys.map((_, i) => (type === 'bloomier' ? String(i) : '1'));
  expect(found.slice(0, keys.length)).toEqual(present);
  const wrong = found.slice(keys.length).filter((answer) => answer !== '-' && answer !== '0');
  // About 35 of 9,000 pass at 2^-8. A reader that accepts all keys, or none, fails here.
  if (type === 'exact') expect(wrong).toEqual([]);
  else expect(wrong.length).toBeGreaterThan(5);
  expect(wrong.length).toBeLessThan(100);
});

test('Python hashes in the place of tamis hash, by the words of the format', async () => {
  put('keys', textOf(keys));
  const set = ['--pages', '5', '--seed', '77'];
  await shard('keys', '-o', 'out', ...set);
  const program = `
from hashes import xxh3_64
from pages import PAGE, route
count = 0
for line in sys.stdin:
    h = xxh3_64(line.rstrip('\\n').encode())
    print('%08x\\t%016x' % (route(PAGE, h, 77, 5), h))
    count += 1
print('~\\t%032x\\t%016x' % (12345, count))
`;
  const records = textOf(run(program, keys).sort());
  expect(await tamis(['pages', ...set, '-o', 'py', ...named], records)).toMatchObject({ code: 0 });
  expect(await tamis(['manifest', 'py', ...named])).toMatchObject({ code: 0 });
  expect(sumsOf('py')).toEqual(sumsOf('out'));
});
