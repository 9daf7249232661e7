/** tamis url build --skip-invalid: it counts and shows lines that are no entry. Also the answers of check for them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { UrlListBuilder } from 'tamis/url';
import { folder, get, hosts, output, put, tamis } from './support/cli.js';

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
const build = ['url', 'build', 'list', '-o', 'x'];

test('skips what is no entry, and says which lines', async () => {
  put('list', 'a.example\r\n\n||evil.example^\nb.example\n0.0.0.0 ads.example\n');
  const strict = await tamis(build);
  expect(strict).toMatchObject({ code: 2, out: '' });
  expect(strict.err).toMatch(
    /^tamis: list: line 3: '\|\|evil\.example\^' is no host, .*ERR_TAMIS_INVALID_URL/,
  );
  expect(existsSync(join(folder, 'x'))).toBe(false);

  const { code, out, err } = await tamis([...build, '--skip-invalid']);
  expect(code).toBe(0);
  const list = new UrlListBuilder().addHosts(['a.example', 'b.example']).build();
  expect(get('x').equals(list.toBytes())).toBe(true);
  expect(out).toMatch(/^x: 4 lines of list, .*\n {2}type +url-list\n {2}entries +2\n/);
  const [heading, ...rows] = err.split('\n');
  expect(heading).toBe('tamis: list: warning: 2 invalid lines skipped');
  expect(rows).toEqual([
    expect.stringMatching(/^ {2}line 3: '\|\|evil\.example\^' is no host, /),
    expect.stringMatching(/^ {2}line 5: '0\.0\.0\.0 ads\.example' is no host, /),
    '',
  ]);
  const json = await tamis([...build, '--skip-invalid', '--json']);
  expect(json.err).toBe(err);
  expect(JSON.parse(json.out)).toMatchObject({
    count: 2,
    lines: 4,
    skipped: {
      count: 2,
      first: [
        { line: 3, entry: '||evil.example^', message: expect.stringContaining('||evil.example^') },
        { line: 5, entry: '0.0.0.0 ads.example', message: expect.any(String) },
      ],
    },
  });
});

test('counts all of a long list, and shows the first 20', async () => {
  const wrong = Array.from({ length: 3000 }, (_, i) => `*.host-${i}.example`);
  put('list', gzipSync(lines(wrong.flatMap((line, i) => [line, `h${i}.example`]))));
  const { code, out, err } = await tamis([...build, '--skip-invalid', '--json']);
  expect(code).toBe(0);
  const { count, skipped } = JSON.parse(out);
  expect([count, skipped.count, skipped.first.length]).toEqual([expect.any(Number), 3000, 20]);
  expect(count).toBeGreaterThan(2990);
  expect(skipped.first.map(({ line }: { line: number }) => line)).toEqual(
    Array.from({ length: 20 }, (_, i) => 2 * i + 1),
  );
  expect(err.split('\n')).toHaveLength(23);
  expect(err).toMatch(/^tamis: list: warning: 3,000 invalid lines skipped\n/);
  expect(err).toMatch(/\n {2}line 39: .*\n {2}and 2,980 more\n$/);
});

test('of a clean list it says nothing; of one that is another file altogether, an error', async () => {
  put('list', lines(hosts));
  const out = await output([...build, '--skip-invalid', '--json']);
  expect(JSON.parse(out).skipped).toEqual({ count: 0, first: [] });
  expect(JSON.parse((await tamis([...build, '--json'])).out)).not.toHaveProperty('skipped');

  const before = get('x');
  put('list', 'id,url,date\n1,"http://a.example/",2026\n');
  const none = await tamis([...build, '--skip-invalid']);
  expect(none).toMatchObject({ code: 2, out: '' });
  expect(none.err).toMatch(/^tamis: list: every line is invalid: line 1: .*\n$/);
  put('list', '127.0.0.1 a.example\n');
  const wrong = await tamis([...build, '--skip-invalid']);
  expect(wrong.err).toMatch(/^tamis: list: every line is invalid: .*; --format hosts reads such/);
  expect(get('x').equals(before)).toBe(true);
});

test('url check calls nothing safe that is no URL', async () => {
  put('list', lines(hosts));
  expect((await tamis(build)).code).toBe(0);
  for (const text of ['not a url', 'http://1.2.3.256/', '<script>', 'javascript:alert(1)', '']) {
    expect(await tamis(['url', 'check', 'x', '--', text])).toEqual({
      code: 2,
      out: `invalid  ${text}\n`,
      err: 'tamis: 1 URL is invalid, and not known to be safe\n',
    });
  }
});
