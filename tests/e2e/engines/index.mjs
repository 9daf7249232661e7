// One small driver for every engine, so that one test runs in all of them:
//
//   startEngine(name) -> { name, open(url) -> page, close() }
//   page: { evaluate(expression), complaints(), close() }
//
// `evaluate` takes the text of an expression, waits if the value is a promise, and returns its JSON.
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { after, before, describe } from 'node:test';
import { settles } from '../patience.mjs';
import { startChromium } from './chromium.mjs';
import { startWebKit } from './webkit.mjs';

/** The driver of Firefox lies in lab, with what it takes from npm. */
const startFirefox = async () => (await import('../../../lab/web/firefox.mjs')).startFirefox();

const starts = { chromium: startChromium, firefox: startFirefox, webkit: startWebKit };

/** Every engine that there is. */
export const allEngines = Object.keys(starts);

/** The engines that `TAMIS_ENGINES` names, as in `chromium,firefox,webkit`; Chromium unless it is set. */
export const chosenEngines = (env.TAMIS_ENGINES || 'chromium').split(',').map((name) => {
  const known = name.trim();
  if (allEngines.includes(known)) return known;
  throw new Error(`TAMIS_ENGINES names '${known}': expected some of ${allEngines.join(',')}`);
});

export const startEngine = (name) => starts[name]();

/** Calls `define(engine)` for each of `names`, to define its tests; these find the started engine in `engine()`. */
export function describeEngines(names, define) {
  for (const name of names) {
    describe(name, () => {
      let started;
      before(async () => {
        started = await startEngine(name);
      });
      after(() => started?.close());
      define(() => started);
    });
  }
}

/** The value that the page leaves in the global `name`, as soon as it does. */
export const outcomeOf = (page, name = 'outcome') =>
  settles(async () => {
    const outcome = await page.evaluate(`globalThis.${name}`);
    if (outcome !== undefined) return outcome;
    return assert.fail(`the page set no ${name}; it complained of: ${await page.complaints()}`);
  });

/** Opens a page for a test, which closes it at its end. */
export async function openFor(t, engine, url) {
  const page = await engine.open(url);
  t.after(() => page.close());
  return page;
}
