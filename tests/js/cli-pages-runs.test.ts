/**
 * Ties between the pages of a set: the closing lines of tamis hash, the run of tamis pages, and its time. Each way to
 * publish an old list, or a mixed one, ends with an error.
 */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { folder, get, put, refused, run, tamis, textOf } from './support/cli.js';
import { answersOf, checkFolder, manifestOf, sumsOf } from './support/page-folders.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const name = ['--name', 'list'];
const keysOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `key-${i}`);
const few = keysOf(9000);
const more = keysOf(9900);

/** The output of LC_ALL=C sort -u for a text. */
const sort = (...texts: readonly string[]): string =>
  textOf([...new Set(texts.join('').trimEnd().split('\n'))].sort());

const hash = (keys: readonly string[], pages = 2): Promise<string> =>
  run(['hash', '--pages', `${pages}`], textOf(keys));

const isClosing = (line: string): boolean => line.startsWith('~');
const linesOf = (records: string): string[] => records.trimEnd().split('\n');
const without = (records: string): string =>
  textOf(linesOf(records).filter((line) => !isClosing(line)));
const closingOf = (records: string): string => textOf(linesOf(records).filter(isClosing));

/** The records of one page, with all closing lines. */
const onPage = (records: string, page: number): string =>
  textOf(linesOf(records).filter((line) => isClosing(line) || Number.parseInt(line, 16) === page));

const pages = ['pages', '--pages', '2', '-o', 'out', ...name];
const manifest = ['manifest', 'out', ...name];
const job = (page: number, id: string): string[] => [
  ...pages,
  ...['--range', `${page}:${page + 1}`, '--run', id],
];
const partsIn = (where = 'out'): string[] =>
  readdirSync(join(folder, where)).filter((file) => file.endsWith('.part'));

/** Builds and publishes all pages of the keys. */
async function publish(keys: readonly string[]): Promise<void> {
  await run(pages, sort(await hash(keys)));
  await run(manifest);
}

/** The keys are members of what is published, and no others. */
function expectMembers(keys: readonly string[]): void {
  expect(checkFolder('out').keys).toBe(keys.length);
  const some = [...keys.filter((_, i) => i % 40 === 0), ...keys.slice(-50)];
  expect(answersOf('out', some)).toEqual(some.map(() => true));
}

describe('a set that is not what it seems', () => {
  test('a renewal after shard of a longer list keeps the longer list', async () => {
    await publish(few);
    put('more', textOf(more));
    await run(['shard', 'more', '-o', 'out', '--pages', '2', ...name]);
    // Without --renew this command publishes only what tamis pages built.
    expect(await refused(manifest)).toMatch(/^tamis: out: no parts of tamis pages; --renew is for/);
    const { seq, root } = manifestOf('out');
    await run([...manifest, '--renew']);
    expect(manifestOf('out').root).toBe(root);
    expect(manifestOf('out').seq).toBeGreaterThan(seq);
    expectMembers(more);
  });

  test('shard and pages remove what another run left; shard where it published', async () => {
    await run(pages, sort(await hash(few)));
    put('more', textOf(more));
    await refused(['shard', 'none', '-o', 'out', ...name]);
    expect(partsIn()).toHaveLength(1);
    await run(['shard', 'more', '-o', 'out', '--pages', '2', ...name]);
    expect(partsIn()).toEqual([]);

    await run(job(0, 'monday'), onPage(sort(await hash(few)), 0));
    await run(job(1, 'tuesday'), onPage(sort(await hash(more)), 1));
    expect(partsIn()).toEqual(['part-0000000001-0000000001.part']);
    // A run that fails leaves nothing that a manifest takes for its work.
    await refused(pages, 'no record');
    expect(partsIn()).toEqual([]);
    // A file that is no part of a run stays, and the command names it.
    put('out/film.part', 'no pages');
    await run(pages, sort(await hash(few)));
    expect(partsIn()).toContain('film.part');
    expect(await refused(manifest)).toMatch(/film\.part: not a complete part of tamis pages/);
  });

  test('one of two jobs that was built anew is refused by name', async () => {
    const records = sort(await hash(few));
    await run(job(0, 'monday'), onPage(records, 0));
    await run(job(1, 'monday'), onPage(records, 1));
    const again = sort(await hash(more));
    const stdout = job(0, 'tuesday').map((word) => (word === 'out' ? 'other' : word));
    await run(stdout, onPage(again, 0));
    // Two machines that do not see each other's folder leave such files.
    put('out/part-0000000000-0000000000.part', get('other/part-0000000000-0000000000.part'));
    expect(await refused(manifest)).toMatch(
      /part-0000000001-\d+\.part: run is monday here and tuesday in out\/part-0000000000-/,
    );
    // The same id for two runs does not hide it.
    await run(job(1, 'tuesday'), onPage(records, 1));
    expect(await refused(manifest)).toMatch(/the id of the closing lines is \w+ here and \w+ in/);
    expect(readdirSync(join(folder, 'out'))).not.toContain('manifest.json');
    await run(job(1, 'tuesday'), onPage(again, 1));
    await run(manifest);
    expectMembers(more);
  });

  test('hash that stopped on a bad line, without pipefail', async () => {
    const { code, out } = await tamis(['hash', '--pages', '2'], textOf([...few, 'a\0b', 'rest']));
    expect(code).toBe(2);
    expect(out.length).toBeGreaterThan(0);
    expect(await refused(pages, sort(out))).toMatch(
      /^tamis: standard input: no closing line, expected 1: a run of tamis hash did not end\n$/,
    );
    expect(await refused(manifest)).toMatch(/no parts of tamis pages/);
  });

  test('a job that failed leaves no part of its own, also under an old id', async () => {
    const records = sort(await hash(few));
    await run(job(0, 'nightly'), onPage(records, 0));
    await run(job(1, 'nightly'), onPage(records, 1));
    const { out } = await tamis(['hash', '--pages', '2'], textOf([...more, 'a\0b']));
    await refused(job(0, 'nightly'), onPage(sort(out), 0));
    expect(await refused(manifest)).toMatch(/page 0 is missing/);
  });

  test('a part that another takes the place of while manifest reads', async () => {
    await run(pages, sort(await hash(few)));
    const part = join(folder, 'out', partsIn()[0] as string);
    const other = get('out/part-0000000000-0000000001.part');
    // Its age is checked after its fields were read, and before its pages are.
    const parse = Date.parse;
    let isReplaced = false;
    jest.spyOn(Date, 'parse').mockImplementation((time) => {
      if (!isReplaced) {
        isReplaced = true;
        writeFileSync(`${part}.tmp`, other);
        renameSync(`${part}.tmp`, part);
      }
      return parse(time);
    });
    expect(await refused(manifest)).toMatch(/\.part: another run replaced this file/);
    expect(isReplaced).toBe(true);
  });

  test('a set that grew takes nobody who removes files', async () => {
    await publish(few);
    await run(['pages', '--pages', '3', '-o', 'out', ...name], sort(await hash(more, 3)));
    await run(manifest);
    expect(manifestOf('out').pages).toBe(3);
    expectMembers(more);
    // So does a run that published nothing.
    await run(pages, sort(await hash(more)));
    await run(['pages', '--pages', '3', '-o', 'out', ...name], sort(await hash(few, 3)));
    await run(manifest);
    expectMembers(few);
  });

  test('parts that are older than the manifest', async () => {
    const built = pages.map((word) => (word === 'out' ? 'built' : word));
    await run(built, sort(await hash(few)));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 5000);
    put('more', textOf(more));
    await run(['shard', 'more', '-o', 'out', '--pages', '2', ...name]);
    const whole = sumsOf('out');
    const args = ['manifest', 'built', '-o', 'out', ...name];
    expect(await refused(args)).toMatch(
      /^tamis: built\/part-\d+-\d+\.part: built \S+, before the manifest of \S+: build the parts again/,
    );
    expect(sumsOf('out')).toEqual(whole);
    expect(readdirSync(join(folder, 'out'))).toHaveLength(2);
    expectMembers(more);
    // The same pages are not older. They remain if tamis manifest is killed before it removes them.
    rmSync(join(folder, 'out'), { recursive: true });
    await run(built, sort(await hash(few)));
    const kept = get('built/part-0000000000-0000000001.part');
    await run(args);
    put('built/again.part', kept);
    await run(args);
    expectMembers(few);
  });

  test('a part of another list', async () => {
    await run(pages, sort(await hash(few)));
    expect(await refused(['manifest', 'out', '--name', 'other'])).toMatch(
      /\.part: is of the list list, not of other/,
    );
  });

  test('a renewal where something waits to be published', async () => {
    await publish(few);
    await run(pages, sort(await hash(more)));
    const before = get('out/manifest.json');
    expect(await refused([...manifest, '--renew'])).toMatch(
      /\.part: waits to be published: leave out --renew, or remove the \.part files/,
    );
    expect(get('out/manifest.json').equals(before)).toBe(true);
    expect(await refused(['manifest', '.', '--renew', ...name])).toMatch(/no manifest to renew/);
    expect(await refused(['manifest', 'out', '--renew', '--name', 'other'])).toMatch(/waits to be/);
    await run(manifest);
    expect(await refused(['manifest', 'out', '--renew', '--name', 'other'])).toMatch(
      /contains the list 'list', not 'other'/,
    );
    expectMembers(more);
    expect(partsIn()).toEqual([]);
  });
});

describe('closing lines', () => {
  test('end what hash prints, with an id of their own', async () => {
    const [one, two] = [await hash(few), await hash(few)];
    expect(closingOf(one)).toMatch(/^~\t[\da-f]{32}\t0000000000002328\n$/);
    expect(one.endsWith(closingOf(one))).toBe(true);
    expect(closingOf(two)).not.toBe(closingOf(one));
    expect(without(two)).toBe(without(one));
    expect(sort(one).endsWith(closingOf(one))).toBe(true);
    // The same holds for a list with repeats: each printed record counts.
    expect(closingOf(await hash([...few, ...few]))).toMatch(/\t0000000000004650\n$/);
    expect(await hash([])).toMatch(/^~\t[\da-f]{32}\t0{16}\n$/);
    put('others', textOf(few));
    const exact = ['hash', '--pages', '2', '--type', 'exact', '--exclude', 'others'];
    expect(closingOf(await run([...exact, '-'], textOf(more.slice(8999))))).toMatch(
      /00000026ad\n$/,
    );
  });

  test('of several runs are as many as --hashes says', async () => {
    const [one, two, none] = [await hash(few), await hash(more.slice(8000)), await hash([])];
    const all = sort(one, two, none);
    expect(await refused(pages, all)).toMatch(/3 closing lines, expected 1: pass --hashes 3/);
    const three = [...pages, '--hashes', '3'];
    expect(await refused(three, sort(one, two))).toMatch(
      /: 2 closing lines, expected 3: a run of tamis hash did not end/,
    );
    // The same line twice is one.
    expect(await refused(three, `${sort(one, two)}${closingOf(two)}`)).toMatch(/2 closing lines/);
    const { hashed, records, keys } = JSON.parse(await run([...three, '--json'], all));
    expect({ hashed, records, keys }).toEqual({ hashed: 10_900, records: 9900, keys: 9900 });
    await run(manifest);
    expectMembers(more);
  });

  test('of records: more than they say are refused, and fewer are not', async () => {
    const repeated = await hash([...few, ...few.slice(0, 10)]);
    await run(pages, sort(repeated));
    // Without -u all are there.
    await run(pages, textOf(linesOf(repeated).sort()));
    const died = without(await hash(more));
    expect(await refused(pages, sort(died, repeated))).toMatch(
      /: 9,900 records, but the closing lines say 9,010: hash and sort again/,
    );
    expect(existsSync(join(folder, 'out', 'manifest.json'))).toBe(false);
  });

  test('of jobs: all records together are at most what they say', async () => {
    const records = sort(await hash(few));
    const lines = linesOf(without(onPage(records, 0)));
    const some = textOf([...lines, ...lines.slice(0, 100)].sort());
    await run(job(0, 'one'), `${some}${closingOf(records)}`);
    await run(job(1, 'one'), onPage(records, 1));
    expect(await refused(manifest)).toMatch(
      /: [\d,]+ records so far, but the closing lines say 9,000: hash and sort again/,
    );
  });

  test('that are damaged, or in front of a record, are refused', async () => {
    const records = await hash(few);
    const [all, closing] = [linesOf(sort(without(records))), closingOf(records)];
    const id = 'a'.repeat(32);
    const cases: [string, RegExp][] = [
      [`${closing}${textOf(all)}`, /line 2: a record after a closing line: sort with LC_ALL=C/],
      [`${textOf(all)}${closing}${all[0]}\n`, /line 9,002: a record after a closing line/],
      [`${textOf(all)}${closing.slice(0, -1)}`, /line 9,001: expected a complete closing/],
      [`${textOf(all)}~\n`, /line 9,001: expected a complete closing/],
      [`${textOf(all)}${closing.toUpperCase()}`, /line 9,001: expected a complete closing/],
      [`${textOf(all)}${closing.replace('~', '~~')}`, /line 9,001: expected a complete closing/],
      [
        `${textOf(all)}~\t${id}\t${'0'.repeat(16)}\n~\t${id}\t${'0'.repeat(15)}1\n`,
        /line 9,002: an earlier closing line with this id has another count/,
      ],
    ];
    for (const [input, message] of cases) expect(await refused(pages, input)).toMatch(message);
    // The pieces do not matter: a file is read in larger pieces than standard input.
    put('records', `${textOf(all)}${closing}`);
    await run([...pages, 'records']);
    expect(partsIn()).toHaveLength(1);
  });
});

describe('the sequence of a manifest', () => {
  /** Publishes at a given time into a folder, by either command. Returns the sequence number. */
  async function publishAt(nowMs: number, where: string, command: string): Promise<number> {
    jest.spyOn(Date, 'now').mockReturnValue(nowMs);
    put('keys', textOf(few));
    const out = ['-o', where, ...name];
    if (command === 'shard') await run(['shard', 'keys', '--pages', '2', ...out]);
    else {
      await run(['pages', '--pages', '2', ...out], sort(await hash(few)));
      await run(['manifest', where, ...name]);
    }
    return manifestOf(where).seq;
  }

  test.each(['shard', 'manifest'])(
    '%s into two fresh folders, two seconds apart',
    async (command) => {
      const nowMs = 1_900_000_000_000;
      expect(await publishAt(nowMs, 'a', command)).toBe(1_900_000_000);
      expect(await publishAt(nowMs + 2000, 'b', command)).toBe(1_900_000_002);
    },
  );

  test('is the one after, where the clock gives no higher one', async () => {
    const nowMs = 1_900_000_000_000;
    await publishAt(nowMs, 'out', 'shard');
    expect(await publishAt(nowMs + 999, 'out', 'shard')).toBe(1_900_000_001);
    // The clock was set back.
    expect(await publishAt(nowMs - 86_400_000, 'out', 'shard')).toBe(1_900_000_002);
    await run([...manifest, '--renew']);
    expect(manifestOf('out').seq).toBe(1_900_000_003);
    jest.spyOn(Date, 'now').mockReturnValue(nowMs + 7000);
    await run([...manifest, '--renew']);
    expect(manifestOf('out').seq).toBe(1_900_000_007);
  });
});
