import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

/** A module of the figures' source. */
async function load(path) {
  const file = fileURLToPath(new URL(`../../src/figures/${path}`, import.meta.url));
  return (await runnerImport(file, { configFile: false, logLevel: 'error' })).module;
}

test('a step stays 600 ms, and 250 ms more for each word of its answer and its caption', async () => {
  const { stayOf } = await load('element/pace.ts');
  assert.equal(stayOf({ caption: '' }), 600);
  assert.equal(stayOf({ caption: 'One.' }), 850);
  assert.equal(stayOf({ caption: ' Bit 17 is  set. ' }), 1600);
  const answer = { verdict: 'absent', words: 'Zoe is not in the set.' };
  assert.equal(stayOf({ caption: 'Bit 17 is clear.', answer }), 600 + 250 * 10);
});

test('words are wrapped where they fit', async () => {
  const { wrapWords } = await load('shared/words.ts');
  assert.deepEqual(wrapWords('one two three four', 8), ['one two', 'three', 'four']);
  assert.deepEqual(wrapWords('one extraordinary two', 8), ['one', 'extraordinary', 'two']);
  assert.deepEqual(wrapWords('one two', 7), ['one two']);
});
