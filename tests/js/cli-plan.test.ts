/** tamis plan: the suggestion of suggestFilter as text and as JSON, and the command that makes the filter. */
import { describe, expect, test } from '@jest/globals';
import * as tamisPackage from 'tamis';
import { type FilterNeeds, suggestFilter } from 'tamis';
import { type Ended, folder, get, hosts, put, refused, tamis } from './support/cli.js';

const capacity = 100_000;
const n = ['--capacity', '100000'];

interface Planned {
  readonly args: string[];
  readonly needs: FilterNeeds;
  readonly code: string;
  readonly command?: string;
}

const plans: readonly Planned[] = [
  {
    args: n,
    needs: { capacity },
    code: 'new BloomFilter({ capacity: 100_000, fpr: 0.01 })',
    command: 'tamis build LIST -o FILE --capacity 100000',
  },
  {
    args: [...n, '--fpr', '2^-20', '--deletes'],
    needs: { capacity, fpr: 2 ** -20, deletes: true },
    code: 'new CuckooFilter({ capacity: 100_000, fpr: 2 ** -20 })',
    command: 'tamis build LIST -o FILE --type cuckoo --fpr 2^-20 --capacity 100000',
  },
  {
    args: [...n, '--fpr', '1e-3', '--grows'],
    needs: { capacity, fpr: 0.001, grows: true },
    code: 'new ScalableBloomFilter({ capacity: 100_000, fpr: 0.001 })',
    command: 'tamis build LIST -o FILE --type scalable-bloom --fpr 1e-3 --capacity 100000',
  },
  {
    args: [...n, '--static', '--fpr', '2^-16'],
    needs: { capacity, fpr: 2 ** -16, static: true },
    code: 'RibbonFilter.from(keys, { fpr: 2 ** -16 })',
    command: 'tamis build LIST -o FILE --type ribbon --fpr 2^-16',
  },
  {
    args: [...n, '--static', '--universe', '10000000'],
    needs: { capacity, static: true, universe: 10_000_000 },
    code: 'ExactFilter.from({ include, exclude })',
    command: 'tamis build LIST -o FILE --type exact --exclude LIST2',
  },
  {
    args: [...n, '--static', '--values', '8'],
    needs: { capacity, static: true, values: 8 },
    code: 'BloomierMap.from(entries, { valueBits: 8, checkBits: 7 })',
  },
  { args: [...n, '--values', '8'], needs: { capacity, values: 8 }, code: 'new Map(entries)' },
  {
    args: [...n, '--universe', '900000'],
    needs: { capacity, universe: 900_000 },
    code: 'new BitArray(900_000)',
  },
  { args: ['--capacity', '9'], needs: { capacity: 9 }, code: 'new Set(keys)' },
];

describe.each(plans)('$args', ({ args, needs, code, command }) => {
  const choice = suggestFilter(needs);

  test('for programs', async () => {
    const { code: exit, out, err } = await tamis(['plan', '--json', ...args]);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out.indexOf('\n')).toBe(out.length - 1);
    const expected = { ...choice, capacity: needs.capacity, code, ...(command && { command }) };
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  test('for people', async () => {
    const { code: exit, out, err } = await tamis(['plan', ...args]);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const rows = out.split('\n').slice(1, -1);
    const value = (label: string): string | undefined =>
      rows.find((row) => row.slice(2, 17).trimEnd() === label)?.slice(19);
    expect(out).toMatch(/^[\d,]+ keys\n/);
    expect(value('type')).toBe(choice.type);
    expect(value('class')).toBe(choice.className);
    expect(value('memory')).toContain(choice.sizeBytes.toLocaleString('en-US'));
    expect(value('bits per key')).toBe(choice.bitsPerKey.toFixed(2));
    expect(value('false positives')).toMatch(
      choice.fpr === 0 ? /^none$/ : /^[\d.e-]+ % \(1 in [\d,]+\), at most$/,
    );
    expect(value('in a program')).toBe(code);
    expect(value('on a terminal')).toBe(command);
    for (const row of rows) expect(row).toMatch(/^ {2}.{15} {2}\S/);
    const after = rows.slice(rows.findIndex((row) => row.startsWith('  why ')));
    const why = after.filter((row) => /^ {2}(why| ) /.test(row)).map((row) => row.slice(19));
    expect(why.join(' ')).toBe(choice.why);
    for (const row of rows.filter((row) => !row.includes('terminal'))) {
      expect(row.length).toBeLessThanOrEqual(100);
    }
  });
});

test('the code makes it, and so does the command', async () => {
  put('hosts.txt', [...hosts, ...hosts, ...hosts].join('\n'));
  const planned = await tamis(['plan', 'hosts.txt', '--fpr', '2^-10', '--json']);
  const { type, sizeBytes, code, command } = JSON.parse(planned.out);
  expect(type).toBe('bloom');
  const make = new Function('tamis', `const { BloomFilter } = tamis; return ${code};`);
  expect(make(tamisPackage)).toMatchObject({ type, sizeBytes });
  expect(command).toBe('tamis build hosts.txt -o hosts.tamis --fpr 2^-10');
  expect((await tamis(command.split(' ').slice(1))).code).toBe(0);
  expect(tamisPackage.fromBytes(get('hosts.tamis'))).toMatchObject({ type, sizeBytes });
});

describe('a list', () => {
  const command = async (...args: string[]): Promise<string> =>
    JSON.parse((await tamis(['plan', '--json', ...args], `${hosts.join('\n')}\n`)).out).command;

  test('is counted, from a file or from standard input', async () => {
    put('hosts.txt', `\n${hosts.join('\r\n')}\n\n`);
    const head = ({ code, out, err }: Ended) => [code, out.split('\n')[0], err];
    expect(head(await tamis(['plan', 'hosts.txt']))).toEqual([0, '500 keys of hosts.txt', '']);
    expect(head(await tamis(['plan', '-'], hosts.join('\n')))).toEqual([
      0,
      '500 keys of standard input',
      '',
    ]);
  });

  test('stands in the command as a shell wants it', async () => {
    const list = Array.from({ length: 8 }, () => hosts.join('\n')).join('\n');
    for (const [name, words] of [
      ['a.b.txt', 'a.b.txt -o a.b.tamis'],
      ["it's mine.txt", "'it'\\''s mine.txt' -o 'it'\\''s mine.tamis'"],
      ['-x', './-x -o ./-x.tamis'],
    ] as const) {
      put(name, list);
      expect(await command('--grows', '--', name)).toBe(
        `tamis build ${words} --type scalable-bloom`,
      );
    }
    const many = await tamis(['plan', '-', '--json', '--deletes'], list);
    expect(JSON.parse(many.out).command).toBe('tamis build - -o FILE --type cuckoo');
    expect(await command(`${folder}/a.b.txt`, '--deletes')).toBe(
      `tamis build ${folder}/a.b.txt -o a.b.tamis --type cuckoo`,
    );
  });
});

const wrong: ReadonlyArray<[string[], RegExp]> = [
  [[], /plan: expected one LIST, or --capacity/],
  [['list', ...n], /plan: expected one LIST, or --capacity/],
  [['list', 'list'], /plan: expected one LIST, or --capacity/],
  [['--capacity', 'x'], /--capacity x: expected a whole number/],
  [['--capacity', ''], /--capacity : expected a whole number/],
  [['--capacity', '0'], /capacity must be.*INVALID_OPTION/],
  [[...n, '--fpr', 'low'], /--fpr low: expected a rate/],
  [[...n, '--fpr', '1'], /fpr must be.*INVALID_OPTION/],
  [[...n, '--values', '2.5'], /--values 2\.5: expected a whole number/],
  [[...n, '--values', '33'], /values must be.*INVALID_OPTION/],
  [['list', '--values', '33'], /values must be.*INVALID_OPTION/],
  [['none', '--fpr', '2'], /fpr must be.*INVALID_OPTION/],
  [[...n, '--universe', '-1'], /--universe/],
  [[...n, '--universe', '5'], /capacity must be at most universe.*INVALID_OPTION/],
  [['list', '--universe', '2'], /capacity must be at most universe.*INVALID_OPTION/],
  [[...n, '--static', '--grows'], /static and grows.*INVALID_OPTION/],
  [[...n, '--merges'], /--merges/],
];
test.each(wrong)('%j is a mistake that is explained', async (args, message) => {
  put('list', 'a\nb\nc\n');
  const err = await refused(['plan', ...args]);
  expect(err).toMatch(message);
  expect(err).not.toMatch(/^\s+at /m);
  expect(err).toMatch(/\ntry: tamis plan --help\n$/);
});

test('what no structure is large enough for, and lists that are none, are errors', async () => {
  put('empty', '\n');
  for (const [args, message] of [
    [['none'], 'none: no such file or folder'],
    [['empty'], 'empty: an empty list: expected a key on each line'],
    [
      ['--capacity', '10000000000000'],
      'BloomFilter.sizeFor: needs about 11991195678711 bytes; the limit is 512 MiB',
    ],
  ] as const) {
    const err = await refused(['plan', ...args]);
    expect(err.startsWith(`tamis: ${message}`)).toBe(true);
    expect(err.split('\n')).toHaveLength(2);
  }
});
