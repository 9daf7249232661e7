// A list that may be larger than memory. It is read in chunks, split into lines, and added batch by batch, with
// progress and a way to stop.
import { strict as assert } from 'node:assert';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BloomFilter, keyBatchesFrom } from 'tamis';

const COUNT = 300_000;
const host = (i) => `host-${i}.example`;

const folder = mkdtempSync(join(tmpdir(), 'tamis-stream-'));
try {
  const file = join(folder, 'hosts.txt');
  const lines = Readable.from(Array.from({ length: COUNT }, (_, i) => `${host(i)}\n`));
  await pipeline(lines, createWriteStream(file));
  await addAll(file);
  await addUntilStopped(file);
} finally {
  rmSync(folder, { recursive: true });
}

async function addAll(file) {
  const filter = new BloomFilter({ capacity: COUNT });
  let progress = 0;
  const added = await filter.addFrom(keyBatchesFrom(createReadStream(file)), {
    onProgress: ({ done }) => {
      assert.ok(done >= progress, 'progress never goes back');
      progress = done;
    },
  });
  assert.equal(progress, COUNT, 'every line was counted');
  assert.equal(filter.count, added, 'keys that were certainly new');
  for (let i = 0; i < COUNT; i++) assert.ok(filter.has(host(i)), `${host(i)} is a member`);
  console.log(`stream: ${COUNT} lines added, ${filter.sizeBytes} bytes, every one found again`);
  filter.dispose();
}

async function addUntilStopped(file) {
  const filter = new BloomFilter({ capacity: COUNT });
  const stop = new AbortController();
  const reason = new Error('the user pressed stop');
  let stoppedAt = 0;
  const adding = filter.addFrom(keyBatchesFrom(createReadStream(file)), {
    signal: stop.signal,
    onProgress: ({ done }) => {
      stoppedAt = done;
      if (done > COUNT / 3) stop.abort(reason);
    },
  });
  await assert.rejects(adding, (error) => error === reason, 'it rejects with the reason given');
  assert.ok(stoppedAt > 0 && stoppedAt < COUNT, 'it stopped half-way');
  for (let i = 0; i < stoppedAt; i++) assert.ok(filter.has(host(i)), 'what was added stays');
  assert.equal(filter.has(host(COUNT - 1)), false, 'the last line was not read');
  console.log(`stream: stopped after ${stoppedAt} lines, which stay`);
  filter.dispose();
}
