import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { assertChance } from './chance.mjs';

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

test('a probability below one in a thousand is in words', async () => {
  const { chanceOf } = await load('shared/words.ts');
  const said = {
    0: '0 %',
    1: '100 %',
    0.25: '25.0 %',
    0.001: '0.100 %',
    0.0009: 'about one in a thousand',
    0.0005: 'about one in two thousand',
    0.0001: 'about one in ten thousand',
    [1 / 34_567]: 'about one in thirty thousand',
    [1 / 95_001]: 'about one in a hundred thousand',
    [1 / 1_048_576]: 'about one in a million',
    [1 / 2_100_000]: 'about one in two million',
    [1 / 640_000_000]: 'about one in six hundred million',
    1e-17: 'about one in a hundred quadrillion',
    1e-18: 'less than one in a quintillion',
  };
  for (const [rate, words] of Object.entries(said)) assert.equal(chanceOf(Number(rate)), words);
  for (let rate = 0.9; rate > 1e-17; rate *= 0.83) {
    assertChance(`a chance of ${chanceOf(rate)}.`, 'chance of ', rate);
  }
});

test('words are wrapped where they fit', async () => {
  const { wrapWords } = await load('shared/words.ts');
  assert.deepEqual(wrapWords('one two three four', 8), ['one two', 'three', 'four']);
  assert.deepEqual(wrapWords('one extraordinary two', 8), ['one', 'extraordinary', 'two']);
  assert.deepEqual(wrapWords('one two', 7), ['one two']);
});
