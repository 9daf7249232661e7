/** The parts that every command has: arguments, help, and messages about mistakes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { version } from 'tamis';
import { folder, KEY, output, put, refused, tamis } from './support/cli.js';

const urlCommands = ['url build', 'url diff', 'url publish', 'url check', 'url key'];

describe('arguments', () => {
  const wrong: ReadonlyArray<[string[], RegExp]> = [
    [
      ['frob'],
      /unknown command frob: expected one of plan, build, check, merge, convert, inspect, shard, hash, pages, manifest, url, redis, completion\n/,
    ],
    [['--fpr', '0.01'], /unknown option --fpr\n/],
    [['build', 'list', '-o'], /-o: expected a value/],
    [['build', 'list', '-o', '--json'], /-o: expected a value; if that is --json, write -o--json/],
    [['build', 'list', '--fpr', '-1'], /--fpr: expected a value; if that is -1, write --fpr=-1/],
    [['build', 'list', '--json=1', '-o', 'x'], /--json takes no value, got 1/],
    [['build', 'list', '-x', '-o', 'x'], /unknown option -x\n/],
    [['build', 'list', '-o', 'x', '--__proto__=1'], /unknown option --__proto__\n/],
    [['build', 'list', '-o', 'x', '--max-line', '0'], /--max-line 0: expected .* at least 1/],
    [['build', 'list', '-o', 'x', '--max-line', '1k'], /--max-line 1k: expected a whole/],
    [['build', 'list', '-o', 'x', '--comments', ''], /--comments '': expected the start/],
    [['build', 'list', '-o', 'x', '--comments', '# '], /--comments '# ': expected the start/],
    [['toString'], /unknown command toString: expected one of/],
    [['build'], /build: expected one LIST/],
    [['build', 'a', 'b', '-o', 'x'], /build: expected one LIST/],
    [['build', 'list'], /build: expected -o FILE/],
    [['build', 'list', '-o', '-'], /--output -: expected a file/],
    [['build', 'list', '-o', ''], /build: expected -o FILE/],
    [['build', 'list', '-o', 'x', '--nope'], /unknown option --nope\n/],
    [
      ['build', 'list', '-o', 'x', '--type', 'sieve'],
      /--type sieve: expected one of binary-fuse, blocked-bloom, bloom,/,
    ],
    [
      ['build', 'list', '-o', 'x', '--type', 'toString'],
      /--type toString: expected one of binary-fuse, blocked-bloom, bloom,/,
    ],
    [['build', 'list', '-o', 'x', '--fpr', 'low'], /--fpr low: expected a rate/],
    [['build', 'list', '-o', 'x', '--fpr', ''], /--fpr : expected a rate/],
    [['build', 'list', '-o', 'x', '--fpr', '2^16'], /--fpr 2\^16: expected a rate/],
    [['build', 'list', '-o', 'x', '--fpr', '0'], /fpr.*ERR_TAMIS_INVALID_OPTION/],
    [['build', 'list', '-o', 'x', '--fpr', '1'], /fpr.*ERR_TAMIS_INVALID_OPTION/],
    [['build', 'list', '-o', 'x', '--fpr', '2^-49'], /fpr.*ERR_TAMIS_INVALID_OPTION/],
    [['build', 'list', '-o', 'x', '--capacity', '1.5'], /--capacity 1\.5: expected a whole/],
    [['build', 'list', '-o', 'x', '--capacity', '9007199254740992'], /--capacity 9007199254740992/],
    [['build', 'list', '-o', 'x', '--capacity', '0'], /capacity.*ERR_TAMIS_INVALID_OPTION/],
    [['build', 'list', '-o', 'x', '--seed', 'x'], /--seed x: expected a whole number/],
    [['build', 'list', '-o', 'x', '--seed', ''], /--seed : expected a whole number/],
    [
      ['build', 'list', '-o', 'x', '--seed', '18446744073709551616'],
      /seed.*ERR_TAMIS_INVALID_OPTION/,
    ],
    [
      ['build', 'list', '-o', 'x', '--scheme', 'sieve'],
      /--scheme sieve: expected one of mcg, .*guava64.*seeds/,
    ],
    [
      ['build', 'list', '-o', 'x', '--scheme', 'guava'],
      /--scheme guava: did you mean guava-32 or guava64\?/,
    ],
    [
      ['build', 'list', '-o', 'x', '--scheme', 'digest', '--seed', '1'],
      /seed.*ERR_TAMIS_INVALID_OPTION/,
    ],
    [
      ['build', 'list', '-o', 'x', '--scheme', 'guava64', '--secret-file', 'key'],
      /ERR_TAMIS_INVALID_OPTION/,
    ],
    [['check'], /check: expected FILE/],
    [['check', 'x', '-', '-'], /check: standard input can be read only once/],
    [['check', 'x', '--bits', '1:2'], /unknown option --bits\n/],
    [['inspect'], /inspect: expected one FILE/],
    [['inspect', 'a', 'b'], /inspect: expected one FILE/],
    [['convert', '-o', 'x'], /convert: expected one IN/],
    [['convert', 'list'], /convert: expected -o FILE/],
    [['convert', 'list', '-o', 'x'], /convert: expected --from FORMAT or --to FORMAT/],
    [['convert', 'list', '-o', 'list', '--from', 'go'], /-o list: it is also an input/],
    [['convert', 'list', '-o', 'x', '--to', 'go-cuckoo'], /--to go-cuckoo: tamis reads this/],
    [
      ['convert', 'list', '-o', 'x', '--to', 'go', '--chunks'],
      /--chunks works only with --to redisbl/,
    ],
    [['check', 'list', '--from', 'x9'], /--from x9: expected one of tamis, binary-fuse, bloom-/],
    [
      ['check', 'list', '--since', '2020-10'],
      /--since works only with --from go-cuckoo, not tamis/,
    ],
    [['check', 'list', '--from', 'go', '--scalable'], /--scalable works only with --from go-c/],
    [
      ['inspect', 'list', '--from', 'go-cuckoo', '--since', '2019'],
      /--since 2019: expected one of/,
    ],
    [
      ['inspect', 'list', '--from', 'redis-bitmap', '--seed', '7'],
      /--from redis-bitmap: expected --bitmap-bits and --hashes too/,
    ],
    [
      ['check', 'list', '--from', 'go', '--secret-file', 'key'],
      /--secret-file: files of --from go have/,
    ],
    [['merge', '-o', 'x'], /merge: expected two or more files/],
    [['merge', 'a', '-o', 'x'], /merge: expected two or more files/],
    [['merge', 'a', 'b'], /merge: expected -o FILE/],
    [['merge', 'a', 'b', '-o', '-'], /--output -: expected a file/],
  ];
  test.each(wrong)('%j is a mistake that is explained', async (args, message) => {
    put('list', 'a\n');
    put('key', KEY);
    const err = await refused(args);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
    const command = ['build', 'check', 'convert', 'inspect', 'merge'].includes(args[0] ?? '')
      ? `${args[0]} `
      : '';
    expect(err.endsWith(`\ntry: tamis ${command}--help\n`)).toBe(true);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('--help and --version', async () => {
    expect(await tamis(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
    const general = await tamis(['--help']);
    expect({ code: general.code, err: general.err }).toEqual({ code: 0, err: '' });
    expect(general.out).toMatch(
      /tamis plan.*\n.*tamis build.*\n.*tamis check.*\n.*tamis merge.*\n.*tamis convert.*\n.*tamis inspect.*\n.*tamis url.*\n.*tamis redis.*\n.*tamis completion/,
    );
  });

  test('options of each command', async () => {
    const lists = 'comments max-line';
    const spelling = 'lower-case nfkc';
    const ofFormats = 'bitmap-bits hashes scheme seed layout fingerprint-bits xxh64 since scalable';
    const ofPages = 'fingerprint-bits arity fpr value-bits check-bits';
    const ofManifests = 'name sign create-key old-key files lifetime';
    const options = {
      plan: `capacity fpr deletes grows static values universe ${lists} json`,
      build:
        `output type fpr capacity seed secret-file keys ${spelling} ${lists} json scheme counter-bits deletions ` +
        'regions growth tightening generations period-ms fingerprint-bits bucket-size arity exclude',
      check: `from keys ${spelling} secret-file ${lists} all json ${ofFormats}`,
      inspect: `from bits secret-file json ${ofFormats}`,
      convert: `output from to chunks json ${ofFormats}`,
      merge: 'output secret-file json',
      completion: '',
      shard: `output type ${ofPages} exclude pages memory ${ofManifests} seed secret-file keys input ${spelling} ${lists} json`,
      hash: `pages type exclude seed secret-file keys input ${spelling} ${lists}`,
      pages: `output name pages hashes range run type ${ofPages} seed secret-file json`,
      manifest: `output ${ofManifests} renew json`,
    };
    for (const [command, names] of Object.entries(options)) {
      const out = await output([command, 'x', '--help']);
      expect(out.startsWith(`tamis ${command} `)).toBe(true);
      const shown = [...out.matchAll(/^ {2}(?:-\w, | {4})--([\w-]+)/gm)].map(([, name]) => name);
      expect(shown).toContain('quiet');
      expect(shown.filter((name) => name !== 'quiet').join(' ')).toBe(names);
    }
    expect((await tamis(['check', 'none.tms', '--', '--help'])).code).toBe(2);
  });

  test('a bare tamis is help, and no success', async () => {
    const { out } = await tamis(['--help']);
    expect(await refused([])).toBe(out);
    const url = await tamis(['url', '--help']);
    expect(await refused(['url'])).toBe(url.out);
    const redis = await tamis(['redis', '--help']);
    expect(await refused(['redis'])).toBe(redis.out);
  });

  test.each([
    'plan',
    'build',
    'check',
    'inspect',
    'merge',
    'convert',
    'completion',
    'url',
    ...urlCommands,
    'redis',
    ...['load', 'check', 'pull', 'push'].map((name) => `redis ${name}`),
  ])('help %s', async (command) => {
    const words = command.split(' ').filter((word) => word !== '');
    const expected = await tamis([...words, '--help']);
    expect(expected).toMatchObject({ code: 0, err: '' });
    expect(await tamis(['help', ...words])).toEqual(expected);
    expect(await tamis(['--help', ...words])).toEqual(expected);
    if (command !== 'url' && command !== 'redis')
      expect(await tamis([...words, 'x', '-h'])).toEqual(expected);
    expect(expected.out.endsWith('\n')).toBe(true);
    const lines = expected.out.split('\n');
    expect(lines.filter((line) => line.length > 80 || line.endsWith(' '))).toEqual([]);
  });

  test('help of the whole, and of what is no command', async () => {
    const general = await tamis(['help']);
    expect(general).toEqual(await tamis(['-h']));
    for (const line of general.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(await tamis(['url', 'help', 'diff'])).toEqual(await tamis(['help', 'url', 'diff']));
    expect(await refused(['help', 'biuld'])).toBe(
      'tamis: unknown command biuld: did you mean build?\ntry: tamis --help\n',
    );
  });

  const mistyped: ReadonlyArray<[string[], string]> = [
    [['--hlp'], 'unknown option --hlp: did you mean --help?'],
    [['biuld', 'list'], 'unknown command biuld: did you mean build?'],
    [['chekc'], 'unknown command chekc: did you mean check?'],
    [['insp', 'x'], 'unknown command insp: did you mean inspect?'],
    [['ulr', 'build'], 'unknown command ulr: did you mean url?'],
    [['publish'], 'unknown command publish: did you mean url publish?'],
    [['load'], 'unknown command load: did you mean redis load?'],
    [['redis', 'pul'], 'unknown command redis pul: did you mean redis pull?'],
    [['url', 'bulid'], 'unknown command url bulid: did you mean url build?'],
    [['build', 'list', '--ouput', 'x'], 'unknown option --ouput: did you mean --output?'],
    [['build', 'list', '--cap=5'], 'unknown option --cap: did you mean --capacity?'],
    [['build', 'list', '--frp', '1'], 'unknown option --frp: did you mean --fpr?'],
    [
      ['url', 'check', 'x', '--pubic-key', 'a'],
      'unknown option --pubic-key: did you mean --public-key?',
    ],
    [['build', 'list', '-o', 'x', '--type', 'cukoo'], '--type cukoo: did you mean cuckoo?'],
    [['convert', 'list', '-o', 'x', '--from', 'gauva'], '--from gauva: did you mean guava?'],
    [
      ['convert', 'list', '-o', 'x', '--to', 'redisblom'],
      '--to redisblom: did you mean redisbloom?',
    ],
    [
      ['check', 'list', '--from', 'redis'],
      '--from redis: did you mean redis-bitmap or redisbloom or redis-cuckoo?',
    ],
    [['check', 'list', '--keys', 'utf-8'], '--keys utf-8: did you mean utf8?'],
    [
      ['redis', 'check', 'seen', '--url', 'redis://127.0.0.1'],
      'unknown option --url: did you mean --redis?',
    ],
    [['build', 'list', '--url=x'], 'unknown option --url'],
    [['inspect', 'list', '--frm', 'go'], 'unknown option --frm: did you mean --from?'],
    [['url', 'build', 'list', '-o', 'x', '--kind', 'host'], '--kind host: did you mean hosts?'],
  ];
  test.each(mistyped)('%j: %s', async (args, message) => {
    put('list', 'a\n');
    const err = await refused(args);
    expect(err.split('\n')[0]).toBe(`tamis: ${message}`);
  });
});
