/**
 * Kills tamis shard at random steps in each of its phases. The same command then makes the same files.
 * TAMIS_LONG=1 takes many more steps.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isLong, seed } from '../js/support/budget.js';
import { folder, put, tamis, textOf } from '../js/support/cli.js';
import { runHooked } from '../js/support/hooked.js';
import { random } from '../js/support/keys.js';
import { checkFolder, sumsOf } from '../js/support/page-folders.js';

const seeds = isLong ? [seed] : [1, 2];
/** Steps of each phase and seed. */
const picked = isLong ? 25 : 1;

const path = (...names: string[]): string => join(folder, ...names);
const named = ['--name', 'list'];
const keys = Array.from({ length: 13_000 }, (_, i) => `key-${i}`);
const repeated = [...keys, ...keys.slice(100, 4000)];

/** The step of a run's work. */
const phases = ['begin', 'spill', 'count', 'build', 'publish', 'end'] as const;
type Phase = (typeof phases)[number];

interface Job {
  readonly options: readonly string[];
  readonly lines: readonly string[];
  readonly has: readonly Phase[];
}

const jobs: [string, Job][] = [
  ['ribbon, of as many pages as the keys want', { options: [], lines: repeated, has: phases }],
  [
    'ribbon, of several parts',
    {
      options: ['--pages', '700'],
      lines: repeated,
      has: phases.filter((phase) => phase !== 'count'),
    },
  ],
  ['exact', { options: ['--type', 'exact', '--exclude', 'others'], lines: repeated, has: phases }],
  [
    'bloomier',
    {
      options: ['--type', 'bloomier', '--value-bits', '4'],
      lines: repeated.map((key) => `${key}\t${key.length % 16}`),
      has: phases,
    },
  ],
];

const argsOf = ({ options }: Job, out: string): string[] => {
  return ['shard', ...named, 'keys', '-o', out, '--memory', '1MB', '--quiet', ...options];
};

/** The steps of a run that nothing stops, by phase. */
async function stepsOf(job: Job): Promise<Map<Phase, number[]>> {
  const trace = path('trace');
  expect(await runHooked(argsOf(job, 'traced'), { TAMIS_TRACE: trace })).toBe(false);
  const steps = new Map<Phase, number[]>(phases.map((phase) => [phase, []]));
  let phase: Phase = 'begin';
  readFileSync(trace, 'utf8')
    .trimEnd()
    .split('\n')
    .forEach((line, i) => {
      const [name, file = ''] = line.split('\t');
      const isInside = file.includes('/.spill/');
      if (file.endsWith('.spill') && isInside && name === 'open') phase = 'spill';
      else if (phase === 'spill' && name === 'write' && file.endsWith('journal')) phase = 'count';
      else if (isInside && /[/.]part-/.test(file)) phase = 'build';
      else if (/\.pages\.[^/]*tmp$/.test(file) && !isInside) phase = 'publish';
      else if (name === 'rename' && file.endsWith('.spill')) phase = 'end';
      steps.get(phase)?.push(i);
    });
  return steps;
}

/**
 * Ages the lock. A lock without an owner may come from a process that was killed while it made the lock. Other locks
 * hold nobody up.
 */
function ageLocks(): void {
  for (const lock of [path('out', 'publish.lock'), path('out', '.spill.lock')]) {
    if (existsSync(lock) && statSync(lock).size === 0) utimesSync(lock, 0, 0);
  }
}

async function expectWhole(job: Job, sums: object, what: unknown): Promise<void> {
  ageLocks();
  const { code, err } = await tamis(argsOf(job, 'out'));
  expect({ what, err, code }).toEqual({ what, err, code: 0 });
  expect({ what, sums: sumsOf('out') }).toEqual({ what, sums });
  // The remaining files are the served files.
  const served = ['manifest.json', ...Object.keys(sums)].sort();
  expect({ what, left: readdirSync(path('out')).sort() }).toEqual({ what, left: served });
}

describe.each(jobs)('%s', (_, job) => {
  const prepare = async () => {
    put('keys', textOf(job.lines));
    put('others', textOf(keys.map((key) => `other-${key}`)));
    const steps = await stepsOf(job);
    checkFolder('traced');
    return { steps, sums: sumsOf('traced') };
  };

  test('killed once, in each phase', async () => {
    const { steps, sums } = await prepare();
    for (const phase of job.has) expect([phase, steps.get(phase)?.length]).not.toEqual([phase, 0]);
    for (const start of seeds) {
      const next = random(start);
      for (const phase of job.has) {
        const all = steps.get(phase) as number[];
        for (let i = 0; i < picked; i++) {
          const at = all[next() % all.length] as number;
          const how = ['before', 'half', 'after'][next() % 3] as string;
          const what = { start, phase, at, how };
          rmSync(path('out'), { recursive: true, force: true });
          const hooked = { TAMIS_KILL_AT: `${at}`, TAMIS_KILL_HOW: how };
          expect([what, await runHooked(argsOf(job, 'out'), hooked)]).toEqual([what, true]);
          await expectWhole(job, sums, what);
        }
      }
    }
  });

  test('killed again and again, until it ends', async () => {
    const { steps, sums } = await prepare();
    const most = Math.max(...[...steps.values()].flat());
    for (const start of seeds) {
      const next = random(~start);
      rmSync(path('out'), { recursive: true, force: true });
      let kills = 0;
      for (let isKilled = true; isKilled; kills += Number(isKilled)) {
        ageLocks();
        const how = ['before', 'half', 'after'][next() % 3] as string;
        const hooked = { TAMIS_KILL_AT: `${next() % most}`, TAMIS_KILL_HOW: how };
        isKilled = await runHooked(argsOf(job, 'out'), hooked);
      }
      await expectWhole(job, sums, { seed, kills });
    }
  });
});
