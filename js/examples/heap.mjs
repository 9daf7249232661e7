// The memory of JavaScript's own collections.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

function heapBytes() {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Bytes of the heap that the result of `make` takes, and the result. */
export function measureHeap(make) {
  const before = heapBytes();
  const made = make();
  return { made, bytes: heapBytes() - before };
}
