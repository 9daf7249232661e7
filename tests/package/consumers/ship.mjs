// A worker builds a list and transfers its bytes. The main thread looks up.
import { on } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { BinaryFuseFilter, fromBytes } from 'tamis';

const keys = Array.from({ length: 10_000 }, (_, i) => `key ${i}`);
const options = { fpr: 2 ** -32 };

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  const messages = on(worker, 'message');
  const {
    value: [bytes],
  } = await messages.next();
  const {
    value: [emptied],
  } = await messages.next();
  const filter = fromBytes(bytes);
  const sum = (answers) => answers.reduce((total, answer) => total + answer, 0);
  const same = Buffer.compare(bytes, BinaryFuseFilter.from(keys, options).toBytes()) === 0;
  const misses = sum(filter.hasMany(keys.map((key) => `${key}?`)));
  console.log(JSON.stringify({ same, emptied, hits: sum(filter.hasMany(keys)), misses }));
} else {
  const bytes = BinaryFuseFilter.from(keys, options).toBytes();
  parentPort.postMessage(bytes, [bytes.buffer]);
  parentPort.postMessage(bytes.byteLength);
}
