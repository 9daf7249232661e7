// A filter built in a worker, so that the page or the server still answers meanwhile. Lines stream in, progress comes
// out, a button can stop the build, and the bytes are moved and not copied.
import { strict as assert } from 'node:assert';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { keyBatchesFrom, RibbonFilter } from 'tamis';

const COUNT = 200_000;
const url = (i) => `https://example.org/item/${i}`;

/** Builds in a worker. `stopAt` is the progress at which the user stops it. */
async function build(stopAt) {
  const worker = new Worker(new URL(import.meta.url), { workerData: COUNT });
  const result = await new Promise((resolve, reject) => {
    const heard = { progress: 0 };
    worker.on('message', (message) => {
      Object.assign(heard, message);
      if (message.progress >= stopAt) worker.postMessage('stop');
      if (message.isEnd) resolve(heard);
    });
    worker.on('error', reject);
  });
  // The end of the worker frees its memory: WebAssembly memory grows, but never shrinks.
  await worker.terminate();
  return result;
}

async function main() {
  const { bytes, progress, leftInWorker } = await build(Number.POSITIVE_INFINITY);
  assert.equal(progress, COUNT, 'progress was told to the end');
  assert.equal(leftInWorker, 0, 'the bytes were moved: the worker has none left');
  const filter = RibbonFilter.fromBytes(bytes);
  for (let i = 0; i < COUNT; i++) assert.ok(filter.has(url(i)), `${url(i)} is a member`);
  assert.equal(filter.has('https://example.org/other'), false);
  console.log(`worker: ${COUNT} URLs in ${bytes.length} bytes, every one found again`);

  const stopped = await build(COUNT / 4);
  assert.equal(stopped.stoppedBy, 'the user', 'it rejects with the reason given');
  assert.equal(stopped.bytes, undefined, 'and there is no filter');
  assert.ok(stopped.progress < COUNT, 'it stopped on the way');
  console.log(`worker: stopped after ${stopped.progress} URLs`);
}

async function work(total) {
  const stop = new AbortController();
  parentPort.on('message', () => stop.abort('the user'));
  async function* chunks() {
    const encoder = new TextEncoder();
    for (let i = 0; i < total; i += 1000) {
      const lines = Array.from({ length: 1000 }, (_, j) => `${url(i + j)}\n`);
      yield encoder.encode(lines.join(''));
      // As in a download, other tasks run between the chunks.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  try {
    const filter = await RibbonFilter.fromAsync(keyBatchesFrom(chunks()), {
      fpr: 2 ** -10,
      signal: stop.signal,
      onProgress: ({ done }) => parentPort.postMessage({ progress: done }),
    });
    const bytes = filter.toBytes();
    parentPort.postMessage({ bytes }, [bytes.buffer]);
    parentPort.postMessage({ isEnd: true, leftInWorker: bytes.length });
  } catch (reason) {
    parentPort.postMessage({ isEnd: true, stoppedBy: reason });
  }
}

await (isMainThread ? main() : work(workerData));
