// A program for each row of .size-limit.json: it imports what the row bounds, keeps it all, and asks questions
// whose answers are known.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tamis from 'tamis';
import * as schemes from 'tamis/schemes';
import { publishList, UrlListBuilder } from 'tamis/url';
import { root } from '../package/workspace.mjs';
import { golden } from './golden.mjs';

/** A golden file as numbers, with elements and what it says of them. */
function questionsOf(file, toElement) {
  const { present, absent, bytes } = golden.find((one) => one.file === `${file}.tamis`);
  return {
    bytes: [...Buffer.from(bytes, 'hex')],
    elements: [...present, ...absent.map(({ key }) => key)].map(toElement),
    answers: [...present.map(() => true), ...absent.map(({ has }) => has)],
  };
}

/** By the name of its class a golden file of each type of `tamis`. */
const files = Object.fromEntries(
  Object.entries(tamis)
    .filter(([, Class]) => Object.hasOwn(Object(Class), 'define'))
    .map(([name, Class]) => {
      const { type } = Class.define();
      if (type === 'bit-array') return [name, questionsOf('bit-array-scattered', Number)];
      const textOf = (hex) => Buffer.from(hex, 'hex').toString();
      return [name, questionsOf(`${type}-three-keys`, textOf)];
    }),
);

/** By the name of its scheme a Bloom filter that other software may have made; its keys are bytes. */
const foreign = Object.fromEntries(
  Object.entries(schemes).map(([name, scheme]) => {
    const file = `bloom-${scheme.name.replace('guava64', 'guava')}`;
    return [name, questionsOf(file, (hex) => [...Buffer.from(hex, 'hex')])];
  }),
);

/** The files of a list of one host that is published, by name, and what a client believes. */
async function publish(list) {
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const published = {};
  const storage = {
    get: (name) => published[name] && Uint8Array.from(published[name]),
    set: (name, bytes) => {
      published[name] = bytes && [...bytes];
    },
  };
  await publishList(list, { name: 'phish', storage, keys });
  const publicKey = Buffer.from(await crypto.subtle.exportKey('raw', keys.publicKey)).toString(
    'hex',
  );
  return { published, publicKey };
}

const list = new UrlListBuilder().addHosts(['evil.example']).build();

/** What programs find in the global `given`. */
export const given = { files, foreign, list: [...list.toBytes()], ...(await publish(list)) };

const urls = "['http://a.evil.example/b', 'http://good.example/']";

/** The expression that loads a golden file by its class, and asks. */
const reading = (name, more = '') => `(() => {
  const { bytes, elements } = given.files.${name};
  const loaded = ${name}.fromBytes(Uint8Array.from(bytes));${more}
  return elements.map((one) => loaded.has(one));
})()`;

/** The same, and that its bytes are the file's. */
const shipping = (name) =>
  reading(name, "if (loaded.toBytes().join() !== bytes.join()) throw new Error('other bytes');");

/** The same of a BloomFilter, with a scheme. */
const readingForeign = (name) => `(() => {
  const { bytes, elements } = given.foreign.${name};
  const loaded = BloomFilter.fromBytes(Uint8Array.from(bytes), { schemes: [${name}] });
  return elements.map((one) => loaded.has(Uint8Array.from(one)));
})()`;

const usesOf = (questions, expression) =>
  Object.fromEntries(
    Object.entries(questions).map(([name, { answers }]) => [name, [expression(name), answers]]),
  );

/** By module and name an expression that uses an export, and its value. */
const uses = {
  tamis: {
    ...usesOf(files, shipping),
    TamisError: ["new TamisError('ERR_TAMIS_CORRUPT').code", 'ERR_TAMIS_CORRUPT'],
    key: ['[...key.int32(258)]', [2, 1, 0, 0]],
    version: ['version', tamis.version],
    hashKey: ["String(hashKey('name'))", String(tamis.hashKey('name'))],
    bloomSizing: [
      'bloomSizing({ capacity: 1000, fpr: 0.01 })',
      tamis.bloomSizing({ capacity: 1000, fpr: 0.01 }),
    ],
    fromBytes: ['fromBytes(Uint8Array.from(given.files.RibbonFilter.bytes)).type', 'ribbon'],
  },
  'tamis/read': usesOf(files, (name) => reading(name)),
  'tamis/schemes': usesOf(foreign, readingForeign),
  'tamis/url': {
    UrlList: [
      `UrlList.fromBytes(Uint8Array.from(given.list)).checkMany(${urls})`,
      ['maybe', 'safe'],
    ],
    UrlListBuilder: [
      "new UrlListBuilder().addHosts(['evil.example']).build().toBytes().join()",
      list.toBytes().join(),
    ],
    UrlChecker: [
      `UrlChecker.open({
        manifest: 'https://lists.example/manifest.json',
        publicKeys: [given.publicKey],
        storage: 'memory',
        confirm: null,
        onMissing: 'throw',
        onConfirmError: 'throw',
        updateEveryMs: 0,
        fetch: async (url) => new Response(Uint8Array.from(given.published[url.split('/').at(-1)])),
      }).then((checker) => ${urls}.map((url) => checker.check(url)))`,
      ['maybe', 'safe'],
    ],
  },
};

/** 'tamis/url' of 'dist/url/index.js'. */
const moduleOf = (path) => path.replace(/^dist/, 'tamis').replace(/\/index\.js$/, '');

/** The row's modules with the names that it imports of each; undefined: all. */
function importsOf({ path, import: names }) {
  const all = typeof names === 'string' ? { [path]: names } : names;
  return Object.entries(all).map(([file, some]) => [
    moduleOf(file),
    some === '*' ? undefined : some.match(/\w+/g),
  ]);
}

async function makeRow(bounded) {
  const head = [];
  const kept = [];
  const answers = [];
  const expected = {};
  for (const [i, [module, names]] of importsOf(bounded).entries()) {
    const found = names ?? Object.keys(await import(module));
    head.push(
      names === undefined
        ? `import * as all${i} from '${module}';`
        : `import { ${names.join(', ')} } from '${module}';`,
    );
    kept.push(names === undefined ? `{ ...all${i} }` : names.join(', '));
    const used = Object.entries(uses[module]).filter(([name]) => found.includes(name));
    if (used.length === 0) throw new Error(`${bounded.name}: rows.mjs has no use of ${module}`);
    for (const [name, [expression, answer]] of used) {
      // What is not imported by its name is taken from the namespace.
      const value = names ? expression : `(({ ${name} }) => ${expression})(all${i})`;
      answers.push(`'${module} ${name}': await ${value}`);
      expected[`${module} ${name}`] = answer;
    }
  }
  const program = `${head.join('\n')}
globalThis.kept = [${kept.join(', ')}];
globalThis.answer = (async () => ({ ${answers.join(',\n')} }))();
`;
  return { name: bounded.name, program, expected };
}

const bounded = [
  ...JSON.parse(readFileSync(join(root, '.size-limit.json'), 'utf8')),
  {
    name: 'a BloomFilter of each scheme',
    import: {
      'dist/index.js': '{ BloomFilter }',
      'dist/schemes/index.js': `{ ${Object.keys(schemes)} }`,
    },
  },
];

/** `{ name, program, expected }` of each row. */
export const rows = await Promise.all(bounded.map(makeRow));

/** A script's text that leaves in the global `outcome` what the programs answer one after the other; `loads` import them. */
export const asking = (loads) => `const answers = [];
for (const load of [${loads.map((load) => `() => ${load}`)}]) {
  await load();
  answers.push(await globalThis.answer.catch(String));
}
globalThis.outcome = answers;`;

/** Throws where the outcome is another than that of right programs. */
export function checkAnswers(answers) {
  assert.equal(answers.length, rows.length);
  for (const [i, { name, expected }] of rows.entries())
    assert.deepEqual(answers[i], expected, name);
}
