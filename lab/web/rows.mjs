// Makes a program for each row of .size-limit.json. It imports the row's exports, and asks known questions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tamis from 'tamis';
import * as schemes from 'tamis/schemes';
import { hashExpression, UrlListBuilder } from 'tamis/url';
import { golden } from '../../tests/e2e/golden.mjs';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import { numbers, probes } from '../../tests/js/support/interop-keys.mjs';
import { root } from '../../tests/package/workspace.mjs';
import { inMemory, publish } from '../lists.mjs';

/** A golden file as numbers, with elements and the file's answers about them. */
function questionsOf(file, toElement) {
  const { present, absent, bytes } = golden.find((one) => one.file === `${file}.tamis`);
  return {
    bytes: [...Buffer.from(bytes, 'hex')],
    elements: [...present, ...absent.map(({ key }) => key)].map(toElement),
    answers: [...present.map(() => true), ...absent.map(({ has }) => has)],
  };
}

/** A golden file for each type of `tamis`, by the name of its class. */
const files = Object.fromEntries(
  classesOf(tamis).map(({ name, prototype: { type } }) => {
    if (type === 'bit-array') return [name, questionsOf('bit-array-scattered', Number)];
    const textOf = (hex) => Buffer.from(hex, 'hex').toString();
    return [name, questionsOf(`${type}-three-keys`, textOf)];
  }),
);

/** Golden files that are not named like their schemes. */
const unlike = { guava64: 'guava', datasketches: 'datasketches-seed-123456789' };

/** A Bloom filter for each scheme of other software. Its keys are bytes. */
const foreign = Object.fromEntries(
  Object.entries(schemes).map(([name, scheme]) => {
    const type = name === 'parquet' ? 'blocked-bloom' : 'bloom';
    const file = `${type}-${unlike[scheme.name] ?? scheme.name}`;
    return [name, questionsOf(file, (hex) => [...Buffer.from(hex, 'hex')])];
  }),
);

const vector = (path) => readFileSync(join(root, 'tests/vectors/interop', path));
const longs = () => numbers.map((number) => Buffer.from(BigInt64Array.of(number).buffer));

/** The bytes of a file. A RedisBloom dump is JSON with chunks. */
function bytesOf(path) {
  const file = vector(path);
  if (!path.endsWith('.chunks.json')) return [...file];
  return JSON.parse(file).flatMap(({ b64 }) => [...Buffer.from(b64 ?? '', 'base64')]);
}

/** A file of another library, probes as bytes, and that library's answers. */
function dumpOf(path) {
  const answers = path.replace(/(\.sbbf|\.chunks|-serialize)?\.(bin|json)$/, '.expected.txt');
  const all = path.includes('int64') ? longs() : probes.map((text) => Buffer.from(text));
  const elements = all.slice(0, 60).map((probe) => [...probe]);
  const said = [...vector(answers).toString()].slice(0, elements.length);
  return { bytes: bytesOf(path), elements, answers: said.map((digit) => digit === '1') };
}

/** For each codec, a file of another library. */
const DUMPS = {
  guava: 'guava/strings-utf8.mitz64.bin',
  goBloom: 'go/strings.bin',
  spark: 'spark/strings.v2.bin',
  parquet: 'parquet/duckdb-strings.sbbf.bin',
  dataSketches: 'data-sketches/strings.bin',
  bloomFiltersJson: 'npm-bloom-filters/strings.BloomFilter.json',
  bloomfilterJson: 'npm-bloomfilter/strings.json',
  redisBloom: 'redisbloom/bf-strings-1layer.chunks.json',
  redisCuckoo: 'redisbloom/cf-strings.chunks.json',
  goCuckoo: 'seiflotfy/strings.cap4096.bin',
  binaryFuse: 'binary-fuse/int64.bf8.c-serialize.bin',
};
const dumps = Object.fromEntries(
  Object.entries(DUMPS).map(([codec, path]) => [codec, dumpOf(path)]),
);

/** The files of a published list with one host, by name, and the client's key. */
async function publishFiles(list) {
  const published = {};
  const storage = {
    get: (name) => published[name] && Uint8Array.from(published[name]),
    set: (name, bytes) => {
      published[name] = bytes && [...bytes];
    },
  };
  const { publicKey } = await publish(list, 'phish', { storage });
  return { published, publicKey };
}

const list = new UrlListBuilder().addHosts(['evil.example']).build();

/** Sets of pages as a host serves them, with keys and their answers: members first, then absent keys from `from` on. */
const sets = JSON.parse(readFileSync(join(root, 'tests/vectors/pages/sets.json'), 'utf8'));
function pagesOf(wanted, from) {
  const { name, publicKey, answers } = sets.find((set) => set.name === wanted);
  const read = (file) => readFileSync(join(root, 'tests/vectors/pages', name, file));
  const manifest = read('manifest.json').toString();
  const { root: digest, created, keys } = JSON.parse(manifest);
  const members = Array.from({ length: Math.min(keys, 20) }, (_, i) => `key${i}`);
  const others = Array.from({ length: 20 }, (_, i) => `absent${from + i}`);
  return {
    name,
    manifest,
    part: [...read(`${name}.${digest.slice(0, 16)}.0.pages`)],
    ms: Date.parse(created),
    publicKeys: publicKey ? [publicKey] : null,
    keys: [...members, ...others],
    answers: [...members.map(() => 1), ...[...answers].slice(from, from + 20)],
  };
}
const pages = { ribbon: pagesOf('ribbon', 10), map: pagesOf('map', 120) };

/** A filter as RedisFilter stores it: its meta, and the string with the bits of the blocks and a tag. */
function redisOf({ bytes }) {
  // The header has 64 bytes, followed by the number of blocks in 8 bytes (cpp/FORMAT.md).
  const blocks = Buffer.from(bytes.slice(72));
  const shape = {
    ...{ format: 'tamis-redis-1', id: 1, shards: 1, blocks: blocks.length / 32 },
    ...{ seed: '0', hash: 'fast', capacity: 3, fpr: 0.01 },
  };
  // The meta names filter 1, step 1 and stage 1, which means ready. The tag is the last 52 bits of the string.
  const tag = 2 ** 48 + 1;
  const bits = [...blocks].map((byte) => byte.toString(2).padStart(8, '0'));
  return {
    meta: [JSON.stringify(shape), `1 1 1 ${tag}`],
    bits: bits.join('') + (16 * tag).toString(2).padStart(56, '0'),
  };
}
const redis = redisOf(files.BlockedBloomFilter);

/** The Safe Browsing answer that lists evil.example as malware, for five minutes. */
const found = [0x0a, 38, 0x0a, 32, ...hashExpression('evil.example/'), 0x12, 2, 8, 1];
const searched = [...found, 0x12, 3, 8, 0xac, 2];

/** The value that programs find in the global `given`. */
const given = {
  files,
  foreign,
  dumps,
  pages,
  redis,
  list: [...list.toBytes()],
  searched,
  ...(await publishFiles(list)),
};

const urls = "['http://a.evil.example/b', 'http://good.example/']";

/** An expression that loads the files of a group, and looks up their elements. */
const asked = (group, name, load, more = '', element = 'Uint8Array.from(one)') => `(() => {
  const { bytes, elements } = given.${group}.${name};
  const loaded = ${load};${more}
  return elements.map((one) => loaded.has(${element}));
})()`;

/** An expression that loads the golden file of a class. */
const reading = (name, more) =>
  asked('files', name, `${name}.fromBytes(Uint8Array.from(bytes))`, more, 'one');

/** The same, but it also compares the filter's bytes with the file. */
const shipping = (name) =>
  reading(name, "if (loaded.toBytes().join() !== bytes.join()) throw new Error('other bytes');");

/** An expression that loads a filter with a scheme. */
function readingForeign(name) {
  const Class = name === 'parquet' ? 'BlockedBloomFilter' : 'BloomFilter';
  const load = `${Class}.fromBytes(Uint8Array.from(bytes), { schemes: [${name}] })`;
  return asked('foreign', name, load);
}

/** An expression that loads a file of another library with a codec. */
const readingDump = (name) => asked('dumps', name, `${name}.decode(Uint8Array.from(bytes))`);

/** An expression that opens a set of pages with a class, from a host that answers range requests. */
const opening = (Class, set) => `${Class}.open('https://pages.example/manifest.json', {
  name: given.pages.${set}.name,
  publicKeys: given.pages.${set}.publicKeys,
  now: () => given.pages.${set}.ms,
  fetch: async (url, { headers }) => {
    const { manifest, part } = given.pages.${set};
    const range = /=(\\d+)-(\\d+)/.exec(new Headers(headers).get('range'));
    if (range === null) return new Response(manifest);
    const [from, to] = [Number(range[1]), Number(range[2])];
    return new Response(Uint8Array.from(part.slice(from, to + 1)), { status: 206 });
  },
})`;

/** A client of a Redis with one filter. It answers the commands that `open` and `has` of RedisFilter send. */
const redisClient = `{
  async call([command, name, ...words]) {
    if (command === 'HVALS') return given.redis.meta;
    if (command !== 'BITFIELD_RO') throw new Error(command + ' ' + name);
    const fields = [];
    for (let i = 0; i < words.length; i += 3) {
      const [length, from] = [Number(words[i + 1].slice(1)), Number(words[i + 2])];
      fields.push(parseInt(given.redis.bits.slice(from, from + length).padEnd(length, '0'), 2));
    }
    return fields;
  },
}`;

/** The manifest of a source at a host; then the options of a source, and of its client. */
const manifestAt = (host) => `'https://${host}/manifest.json'`;
const source = "name: 'phish', publicKeys: [given.publicKey], confirm: null";
const inPages = `...${JSON.stringify(inMemory)},
        fetch: async (url) => new Response(Uint8Array.from(given.published[url.split('/').at(-1)]))`;

const usesOf = (questions, expression) =>
  Object.fromEntries(
    Object.entries(questions).map(([name, { answers }]) => [name, [expression(name), answers]]),
  );

/** For each module and export, an expression that uses it, and the expected value. */
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
  'tamis/interop': usesOf(dumps, readingDump),
  'tamis/remote': {
    RemoteFilter: [
      `${opening('RemoteFilter', 'ribbon')}.then(async (filter) =>
        [...await filter.hasMany(given.pages.ribbon.keys)])`,
      pages.ribbon.answers.map(Number),
    ],
    RemoteMap: [
      `${opening('RemoteMap', 'map')}.then(async (map) => {
        const { values, found } = await map.getMany(given.pages.map.keys);
        return [...found].map((is, i) => (i < 20 || !is ? is : values[i]));
      })`,
      pages.map.answers.map((one) => (one === '-' ? 0 : one)),
    ],
  },
  'tamis/feeds': {
    readFeed: [
      `(async () => {
        const found = [];
        for await (const { text } of readFeed('||evil.example^\\nx##.y\\n')) found.push(text);
        return found;
      })()`,
      ['evil.example'],
    ],
  },
  'tamis/safe-browsing': {
    SafeBrowsing: [
      `SafeBrowsing.open({
        apiKey: 'a-key',
        mode: 'no-storage',
        whenSearchFails: 'throw',
        fetch: async () => new Response(Uint8Array.from(given.searched)),
      }).then(async (google) => {
        const found = [];
        for (const url of ${urls}) {
          const { verdict, threats } = await google.verify(url);
          found.push([google.check(url), verdict, ...threats]);
        }
        google.close();
        return found;
      })`,
      [
        ['maybe', 'unsafe', 'malware'],
        ['maybe', 'safe'],
      ],
    ],
  },
  'tamis/redis': {
    RedisFilter: [
      `RedisFilter.open(${redisClient}, 'seen').then((filter) =>
        Promise.all(given.files.BlockedBloomFilter.elements.map((element) => filter.has(element))))`,
      files.BlockedBloomFilter.answers,
    ],
  },
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
      `UrlChecker.open(${manifestAt('lists.example')}, { ${source}, ${inPages} })
        .then((checker) => ${urls}.map((url) => checker.check(url)))`,
      ['maybe', 'safe'],
    ],
    UrlGuard: [
      `UrlGuard.open({
        lists: {
          phish: { manifest: ${manifestAt('lists.example')}, ${source}, action: 'block' },
          again: { manifest: ${manifestAt('other.example')}, ${source}, action: 'warn', canOverride: false },
        },
        ${inPages},
      }).then(async (guard) => {
        const [url] = ${urls};
        await guard.overrides.add({ url, scope: 'site', verdict: 'allow', forMs: 60_000 });
        const answers = ${urls}.map((url) => [guard.check(url).answer, ...guard.check(url).lists]);
        guard.close();
        return answers;
      })`,
      [['maybe', 'phish', 'again'], ['safe']],
    ],
  },
};

/** The modules of a row, as `tamis/url` for dist/url/index.js, with the imported names of each; undefined means all. */
function importsOf({ path, import: names }) {
  const all = typeof names === 'string' ? { [path]: names } : names;
  return Object.entries(all).map(([file, some]) => [
    file.replace(/^dist/, 'tamis').replace(/\/index\.js$/, ''),
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
      // Exports that are not imported by name are taken from the namespace.
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
    name: 'a filter of each scheme',
    import: {
      'dist/index.js': '{ BloomFilter, BlockedBloomFilter }',
      'dist/schemes/index.js': `{ ${Object.keys(schemes)} }`,
    },
  },
];

/** `{ name, program, expected }` of each row. */
export const rows = await Promise.all(bounded.map(makeRow));

/** The files of all programs, and the script with the data that they read from the global `given`. */
export const programs = {
  'given.js': `globalThis.given = ${JSON.stringify(given)};`,
  ...Object.fromEntries(rows.map(({ program }, i) => [`row-${i}.mjs`, program])),
};

/** A script that stores all programs' answers, in order, in the global `outcome`. `addressOf` gives a row's file. */
export const asking = (addressOf = (i) => `'./row-${i}.mjs'`) => `const answers = [];
for (const load of [${rows.map((_, i) => `() => import(${addressOf(i)})`)}]) {
  await load();
  answers.push(await globalThis.answer.catch(String));
}
globalThis.outcome = answers;`;

/** Throws unless the outcome is what correct programs give. */
export function checkAnswers(answers) {
  assert.equal(answers.length, rows.length);
  for (const [i, { name, expected }] of rows.entries())
    assert.deepEqual(answers[i], expected, name);
}
