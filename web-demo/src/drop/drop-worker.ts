// Reads a file of keys, builds a filter from it, and measures the filter, outside the page's thread. Each worker reads
// one file: the page ends the worker when the next file comes.

import type { Filter } from 'tamis';
import { messageOf } from '../format';
import { absentKeys, gzipBytes, positives } from '../measure';
import type { DropFinding, DropJob, DropResult } from './drop-job';
import { dropType } from './drop-types';

const ABSENT_KEYS = 100_000;
/** The number of keys that are looked up between two reports. */
const BATCH = 50_000;

function report(finding: DropFinding, transfer: Transferable[] = []): void {
  postMessage(finding, { transfer });
}

async function isGzip(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** The text of the file, unpacked if it is gzipped. Reports the bytes of the file while they are read. */
async function readText(file: File): Promise<string> {
  let read = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        read += chunk.length;
        report({ phase: 'read', share: read / file.size });
        controller.enqueue(chunk);
      },
    }),
  );
  const bytes = (await isGzip(file))
    ? counted.pipeThrough(new DecompressionStream('gzip'))
    : counted;
  let text = '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = bytes.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
}

function count(filter: Filter, keys: readonly string[], done: number, all: number): number {
  let found = 0;
  for (let start = 0; start < keys.length; start += BATCH) {
    const batch = keys.slice(start, start + BATCH);
    found += positives(filter.hasMany(batch));
    report({ phase: 'check', share: (done + start + batch.length) / all });
  }
  return found;
}

async function run({ file, type, fpr }: DropJob): Promise<void> {
  const text = await readText(file);
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const known = new Set(lines.filter((line) => line !== ''));
  const keys = [...known];
  if (keys.length === 0) throw new Error('the file has no lines');
  report({ phase: 'build', share: 0 });
  const started = performance.now();
  const filter = dropType(type).build(keys, fpr);
  const buildMs = performance.now() - started;
  const absent = absentKeys(ABSENT_KEYS, known);
  const all = keys.length + absent.length;
  const missed = keys.length - count(filter, keys, 0, all);
  const falsePositives = count(filter, absent, keys.length, all);
  const plain = keys.map((key) => `${key}\n`).join('');
  const result: DropResult = {
    bytes: filter.toBytes(),
    keys: keys.length,
    textBytes: new Blob([plain]).size,
    gzipBytes: await gzipBytes(plain),
    buildMs,
    missed,
    falsePositives,
    absentKeys: absent.length,
    sample: keys[0] ?? '',
  };
  report({ result }, [result.bytes.buffer]);
}

addEventListener('message', async ({ data }: MessageEvent<DropJob>) => {
  try {
    await run(data);
  } catch (error) {
    report({ refused: messageOf(error) });
  }
});
