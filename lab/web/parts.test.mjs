// Loads the parts of the wasm in every engine, in three orders. Objects of all earlier classes exist meanwhile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serveBundle } from '../../tests/e2e/bundle.mjs';
import { allEngines, describeEngines, openFor, outcomeOf } from '../../tests/e2e/engines/index.mjs';
import { golden } from '../../tests/e2e/golden.mjs';
import { project, root } from '../../tests/package/workspace.mjs';
import { CSP } from '../../web-demo/serve.mjs';

const types = [...new Set(golden.map(({ type }) => type))];
const valid = golden.filter(({ valid }) => valid);

/** All types in steps of 7. Their number is not a multiple of 7, so each type comes once. */
const shuffled = types.map((_, i) => types[(3 + 7 * i) % types.length]);
const orders = { 'as they are linked': types, 'the last first': types.toReversed(), shuffled };

const page = `
import * as tamis from 'tamis';
import * as schemes from 'tamis/schemes';
import * as url from 'tamis/url';
import { classesOf } from '${root}tests/js/support/all-classes.mjs';
import { loadGolden } from '${root}tests/js/support/load-golden.mjs';

const classes = new Map(
  [tamis, url].flatMap(classesOf).map((Class) => [Class.prototype.type, Class]),
);
const order = decodeURIComponent(location.search.slice(1)).split(',');
const pairs = order.map((type) => [type, classes.get(type)]);
globalThis.outcome = loadGolden(pairs, ${JSON.stringify(golden)}, Object.values(schemes));
`;

test('every order has every type once', () => {
  for (const order of Object.values(orders)) assert.deepEqual(order.toSorted(), types.toSorted());
});

describeEngines(allEngines, (engine) => {
  let server;
  before(async () => {
    const resolveDir = project(engine().name);
    server = await serveBundle({ sources: { 'page.js': page }, resolveDir, csp: CSP });
  });
  after(() => server.close());

  for (const [name, order] of Object.entries(orders)) {
    test(`golden files by their classes, ${name}`, async (t) => {
      const open = await openFor(t, engine(), `${server.url}?${order}`);
      const { faults, kept, early, brought } = await outcomeOf(open);
      assert.deepEqual(await open.complaints(), []);
      assert.deepEqual(faults, []);
      assert.equal(kept, valid.length);
      const modules = Object.values(brought).reduce((sum, count) => sum + count);
      assert.ok(modules > types.length, `${modules} modules`);
      assert.ok(early > 150, `the last came beside ${early} structures`);
    });
  }
});
