/** The commands of pages beside the Python of cpp/format: they write the golden folders, and Python reads theirs. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

import { budget } from './support/budget.js';
import { folder, output, put, tamis, textOf } from './support/cli.js';
import { type GoldenPages, goldenPages } from './support/golden-pages.js';
import { manifestOf, putGolden, sumsOf } from './support/page-folders.js';
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

/** Expects the parts of the golden folder. */
function expectParts(out: string, { files }: GoldenPages): void {
  const { 'manifest.json': _, ...parts } = files;
  expect(sumsOf(out)).toEqual(parts);
}

// The command makes at most one page per key, and no page without keys.
const sharded = goldenPages.filter(({ keys, manifest }) => manifest.pages <= keys);
test.each(sharded.map((set) => [set.name, set] as const))(
  'shard writes the golden folder %s',
  async (name, set) => {
    const { hashing, shape, files } = putGolden(set);
    await shard('keys', '-o', 'out', '--name', name, ...hashing, ...shape, ...files);
    expectParts('out', set);
  },
);

// Python alone makes pages of no key, and hashes no excluded keys for tamis pages.
const hashed = goldenPages.filter(({ keys, manifest }) => keys > 0 && manifest.type !== 'exact');
test.each(hashed.map((set) => [set.name, set] as const))(
  'hash, pages and manifest write the golden folder %s',
  async (name, set) => {
    const { hashing, shape, files } = putGolden(set);
    const records = (await output(['hash', ...hashing, 'keys'])).trimEnd().split('\n');
    const pages = ['pages', '--name', name, ...hashing, ...shape, '-o', 'out'];
    await output(pages, textOf([...new Set(records)].sort()));
    expect((await tamis(['manifest', 'out', '--name', name, ...files])).code).toBe(0);
    expectParts('out', set);
    const { seq, created, notAfter, keyId, sig, ...facts } = set.manifest;
    expect(manifestOf('out')).toMatchObject(facts);
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
