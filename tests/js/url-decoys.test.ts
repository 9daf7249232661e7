/** The decoys of UrlChecker and RemoteFilter: a server that sees every question learns nothing from repeated ones. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  createConfirmHandler,
  fileStorage,
  type UrlCheckerOptions,
  UrlListBuilder,
} from 'tamis/url';

import {
  Clock,
  CONFIRM,
  openFor,
  Publisher,
  someHosts,
  TestStorage,
} from './support/url-publisher.js';
import { holdTimers } from './support/waiting.js';

holdTimers();

const hosts = someHosts(3000);
const prefixOf = (expression: string) =>
  createHash('sha256').update(expression).digest('hex').slice(0, 8);
const prefixesIn = (body: Uint8Array) => Buffer.from(body).toString('hex').match(/.{8}/g) ?? [];
const pageOf = (i: number) => `https://h${i}.listed.example/`;

/** The candidates that are in each of these questions. */
const inAll = (questions: readonly (readonly string[])[]) =>
  (questions[0] ?? []).filter((one) => questions.every((question) => question.includes(one)));

/** A publisher whose confirm server has no listed hash, forgets at once, and records the questions. */
async function recording(listed: readonly string[] = hosts) {
  const publisher = await Publisher.with([...listed]);
  const questions: string[][] = [];
  publisher.instead.set(CONFIRM, async (request) => {
    questions.push(prefixesIn(new Uint8Array(await request.arrayBuffer())));
    return new Response(new Uint8Array(1024));
  });
  const open = (options: Partial<UrlCheckerOptions> = {}) =>
    openFor(publisher, { decoys: 29, storage: new TestStorage(), ...options });
  return { publisher, questions, open };
}

describe('decoys of a UrlChecker', () => {
  test('a hundred visits to one page show no more than one visit', async () => {
    const { questions, open } = await recording();
    const checker = await open();
    for (let i = 0; i < 100; i++) await checker.verify(pageOf(7));
    expect(questions.length).toBe(100);
    expect(inAll(questions).length).toBe(30);
    expect(inAll(questions)).toContain(prefixOf('h7.listed.example/'));
    const entries = new Set(hosts.map((host) => prefixOf(`${host}/`)));
    expect(questions[0]?.every((prefix) => entries.has(prefix))).toBe(true);
  });

  test('neither do visits after a restart and after updates of the list', async () => {
    const { publisher, questions, open } = await recording();
    const storage = new TestStorage();
    for (let day = 0; day < 5; day++) {
      const checker = await open({ storage });
      await publisher.publish(someHosts(3000, 1 + day));
      await checker.update();
      await checker.verify(pageOf(7));
      checker.close();
    }
    expect(questions.length).toBe(5);
    expect(inAll(questions).length).toBe(30);
  });

  test('a decoy that is visited later brings the same question', async () => {
    const { questions, open } = await recording();
    const checker = await open();
    await checker.verify(pageOf(7));
    const byPrefix = new Map(hosts.map((host) => [prefixOf(`${host}/`), host]));
    for (const prefix of questions[0] ?? [])
      await checker.verify(`http://${byPrefix.get(prefix)}/`);
    expect(questions.length).toBe(31);
    expect(inAll(questions).length).toBe(30);
  });

  test('each of several hits has its own question, and no two questions share a prefix', async () => {
    const { questions, open } = await recording(['a.evil.example', 'evil.example', ...hosts]);
    const checker = await open();
    await checker.verify('http://a.evil.example/');
    await checker.verify('http://evil.example/');
    expect(questions.length).toBeGreaterThan(1);
    for (const one of questions) {
      expect(one.length).toBe(30);
      // Rarely, one of the two is a decoy of the other, and both have one group.
      for (const other of questions) expect([0, 30]).toContain(inAll([one, other]).length);
    }
  });

  test('with few decoys one question has several whole groups', async () => {
    const { questions, open } = await recording(['a.evil.example', 'evil.example', ...hosts]);
    const checker = await open({ decoys: 4 });
    await checker.verify('http://a.evil.example/');
    await checker.verify('http://evil.example/');
    const [both = [], one = []] = questions;
    expect(one.length).toBe(5);
    expect(inAll([one, both])).toEqual(one);
    expect(both.length % 5).toBe(0);
  });

  test('a question depends on no answer before it', async () => {
    const { publisher, questions, open } = await recording([
      'a.evil.example',
      'evil.example',
      ...hosts,
    ]);
    const clock = new Clock();
    const checker = await open({ now: clock.now } as object);
    const handles = ['a.evil.example', 'evil.example', 'other.example'].map((host) =>
      // A hash that is listed is forgotten at once, and the others after a day.
      createConfirmHandler(new UrlListBuilder().addHosts([host]).fullHashes, {
        cacheSeconds: 0,
        negativeSeconds: 86_400,
      }),
    );
    const asked: string[] = [];
    for (const handle of handles) {
      publisher.instead.set(CONFIRM, async (request) => {
        questions.push(prefixesIn(new Uint8Array(await request.clone().arrayBuffer())));
        return handle(request);
      });
      questions.length = 0;
      await checker.verify('http://a.evil.example/');
      asked.push(questions.map(String).sort().join('\n'));
      clock.ms += 1000;
    }
    expect(new Set(asked).size).toBe(1);
  });

  test('the place of the prefix tells nothing', async () => {
    const { questions, open } = await recording();
    const checker = await open();
    const ranks: number[] = [];
    for (let i = 0; ranks.length < 60; i++) {
      const mine = prefixOf(`h${i}.listed.example/`);
      // A page of an earlier group is no new draw.
      if (questions.some((question) => question.includes(mine))) continue;
      await checker.verify(pageOf(i));
      ranks.push(questions.at(-1)?.indexOf(mine) as number);
    }
    // 60 ranks from 0 to 29: their mean is 14.5, with a deviation of 1.12. Eight of them have a chance below 1e-14.
    const mean = ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
    expect(Math.abs(mean - 14.5)).toBeLessThan(9);
  });

  test('of a short list, the last group is smaller', async () => {
    const short = someHosts(100);
    const { questions, open } = await recording(short);
    const checker = await open();
    for (let i = 0; i < 100; i++) await checker.verify(pageOf(i));
    const groups = new Set(questions.map((question) => question.join()));
    expect(Array.from(groups, (group) => group.split(',').length)).toEqual([30, 30, 30, 10]);
  });

  test('two checkers on one storage ask alike', async () => {
    const { questions, open } = await recording();
    const storage = new TestStorage();
    const both = [await open({ storage }), await open({ storage })];
    await Promise.all(both.map((checker) => checker.verify(pageOf(7))));
    expect(questions.length).toBe(2);
    expect(questions[1]).toEqual(questions[0]);
  });

  test('two processes on one folder ask alike', async () => {
    const { questions, open } = await recording();
    const folder = await mkdtemp(join(tmpdir(), 'tamis-decoys-'));
    for (const storage of [fileStorage(folder), fileStorage(folder)]) {
      await (await open({ storage })).verify(pageOf(7));
    }
    expect(questions.length).toBe(2);
    expect(questions[1]).toEqual(questions[0]);
    await rm(folder, { recursive: true });
  });

  test('a storage that fails is in the status, and the questions stay the same', async () => {
    const { questions, open } = await recording();
    const storage = new TestStorage();
    const checker = await open({ storage });
    storage.before = () => {
      throw new Error('disk');
    };
    for (let i = 0; i < 3; i++) await checker.verify(pageOf(7));
    expect(inAll(questions).length).toBe(30);
    expect(checker.status.error).toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
    storage.before = () => undefined;
    await checker.verify(pageOf(8));
    checker.close();
    const next = await open({ storage });
    await next.verify(pageOf(7));
    expect(questions.at(-1)).toEqual(questions[0]);
  });

  test.each([
    '{"groups":7}',
    '{"groups":["zz", 7, null, "00000000'.padEnd(300, '0'),
    'null',
    '{"groups":["0000000"]}',
  ])('a damaged file of groups counts as none: %s', async (text) => {
    const { questions, open } = await recording();
    const storage = new TestStorage();
    const checker = await open({ storage });
    await checker.verify(pageOf(7));
    const [name] = [...storage.files.keys()].filter((key) => key.endsWith('-decoys.json'));
    storage.files.set(name as string, new TextEncoder().encode(text));
    const next = await open({ storage });
    expect(await next.verify(pageOf(8))).toEqual({ verdict: 'safe', from: 'server' });
    expect(questions.map(({ length }) => length)).toEqual([30, 30]);
  });

  test('the storage keeps the newest 1,024 groups', async () => {
    const { questions, open } = await recording();
    const storage = new TestStorage();
    await (await open({ storage })).verify(pageOf(7));
    const fileOf = () => [...storage.files].find(([key]) => key.endsWith('-decoys.json'));
    const [name, file] = fileOf() as [string, Uint8Array];
    const { groups } = JSON.parse(new TextDecoder().decode(file));
    const more = Array.from({ length: 1023 }, (_, i) => (0xffffffff - i).toString(16));
    storage.files.set(
      name,
      new TextEncoder().encode(JSON.stringify({ groups: [...groups, ...more] })),
    );
    const known = questions[0] as string[];
    const other = hosts.findIndex((host) => !known.includes(prefixOf(`${host}/`)));
    await (await open({ storage })).verify(pageOf(other));
    const after = JSON.parse(new TextDecoder().decode(fileOf()?.[1])).groups;
    expect(after.slice(0, -1)).toEqual(more);
    expect(after.at(-1)).toContain(prefixOf(`h${other}.listed.example/`));
  });
});
