// Builds one type from a list outside the page's thread, and then every other type from the same list. Each worker does
// one job: the page ends the worker when the next job begins.
import { init } from 'tamis';
import { demoFilters } from './filters';
import { absentKeys, gzipBytes, positives } from './measure';
import { linesOf, type OnceBuilt, type OnceFinding, type OnceJob, type Size } from './once-job';
import { keyOf, type Lists, type Once, onceType, onceTypes, rateOf } from './once-types';

const ABSENT_KEYS = 100_000;

function report(finding: OnceFinding, transfer: Transferable[] = []): void {
  postMessage(finding, { transfer });
}

function measure(built: Once, { keys, others }: Lists, ms: number): OnceBuilt {
  const lookedUp = keys.map((line) => keyOf(built, line));
  const known = new Set([...lookedUp, ...others]);
  const unknown = absentKeys(ABSENT_KEYS, known);
  return {
    bytes: built.toBytes(),
    ms,
    missed: lookedUp.length - positives(built.hasMany(lookedUp)),
    alarms: built.type === 'exact' ? positives(built.hasMany(others)) : 0,
    passed: positives(built.hasMany(unknown)),
    absentKeys: unknown.length,
  };
}

/** The reason for a failed build, in words for a visitor. */
function refusal(error: unknown, type: string): string {
  const { code, count, message } = error as { code?: string; count?: number; message?: string };
  if (code !== 'ERR_TAMIS_CONFLICT') return message ?? String(error);
  const keys = count === 1 ? 'One key' : `${count} keys`;
  return type === 'exact'
    ? `${keys} on both lists: what should the answer be? Take them off one.`
    : `${keys} with two values: a key has one.`;
}

/** The bytes that `make` returns, or none if the type cannot do it, for example at a rate too low for it. */
function sizeOf(make: () => Omit<Size, 'isOnce' | 'isList'>, isOnce: boolean): Size[] {
  try {
    return [{ ...make(), isOnce, isList: false }];
  } catch {
    return [];
  }
}

async function sizesOf(lists: Lists, fpr: number): Promise<Size[]> {
  const capacity = Math.max(1, new Set(lists.keys).size);
  const changing = demoFilters.flatMap(({ className, create, can }) =>
    sizeOf(() => {
      const filter = create({ capacity, fpr });
      filter.addMany(lists.keys);
      const bytes = filter.toBytes().length;
      const rate = filter.fpr;
      filter.dispose();
      return { name: className, can, bytes, rate };
    }, false),
  );
  const once = onceTypes.flatMap((entry) =>
    sizeOf(() => {
      const built = entry.build(lists, fpr);
      const bytes = built.toBytes().length;
      const rate = rateOf(built);
      built.dispose();
      return { name: entry.className, can: 'built once', bytes, rate };
    }, true),
  );
  const text = lists.keys.map((key) => `${key}\n`).join('');
  const plain = [
    { name: 'The list as text', bytes: new TextEncoder().encode(text).length },
    { name: 'The list gzipped', bytes: await gzipBytes(text) },
  ].map((size) => ({ ...size, can: 'names its keys', rate: 0, isOnce: false, isList: true }));
  return [...once, ...changing, ...plain];
}

async function run({ type, fpr, list, others }: OnceJob): Promise<void> {
  const lists = { keys: linesOf(list), others: linesOf(others) };
  try {
    await init(); // otherwise the measured build time would include the start of WebAssembly
    const start = performance.now();
    const built = onceType(type).build(lists, fpr);
    const found = measure(built, lists, performance.now() - start);
    report({ built: found }, [found.bytes.buffer]);
  } catch (error) {
    report({ refused: refusal(error, type) });
  }
  report({ sizes: await sizesOf(lists, fpr), keys: new Set(lists.keys).size });
}

addEventListener('message', ({ data }: MessageEvent<OnceJob>) => run(data));
