// A filter built in a worker, so that the page or the server stays responsive meanwhile: the worker
// sends its bytes, which are moved and not copied.
import { strict as assert } from 'node:assert';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BloomFilter } from 'tamis';

const COUNT = 200_000;
const url = (i) => `https://example.org/item/${i}`;

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { workerData: COUNT });
  const { bytes, leftInWorker } = await new Promise((resolve, reject) => {
    let bytes;
    worker.on('message', (message) => {
      if (message instanceof Uint8Array) bytes = message;
      else resolve({ bytes, ...message });
    });
    worker.on('error', reject);
  });
  // The worker's memory goes with it: WebAssembly memory grows, but never shrinks.
  await worker.terminate();

  const filter = BloomFilter.fromBytes(bytes);
  assert.equal(leftInWorker, 0, 'the bytes were moved: the worker has none left');
  for (let i = 0; i < COUNT; i++) assert.ok(filter.has(url(i)), `${url(i)} is a member`);
  assert.equal(filter.has('https://example.org/other'), false);
  console.log(`worker: ${COUNT} URLs in ${bytes.length} bytes, every one found again`);
} else {
  const urls = Array.from({ length: workerData }, (_, i) => url(i));
  const bytes = BloomFilter.from(urls, { fpr: 0.001 }).toBytes();
  parentPort.postMessage(bytes, [bytes.buffer]);
  parentPort.postMessage({ leftInWorker: bytes.length });
}
