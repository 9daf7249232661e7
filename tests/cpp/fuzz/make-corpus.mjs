// Seeds for the fuzz targets: each golden file of tests/vectors behind the first bytes by which
// from_bytes.cpp reads it as its own type, and as one other; and for model.cpp the same files as streams
// of operations. For url.cpp and rice.cpp the vectors of tests/vectors/url, for url_list.cpp the golden files
// of v1/url. For key_lines.cpp a few texts of lines. For foreign.cpp a filter of each rule. For image.cpp a few images.
//
//   node tests/cpp/fuzz/make-corpus.mjs FOLDER
//
// writes FOLDER/from_bytes, model, url, rice, url_list, key_lines, foreign and image.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node tests/cpp/fuzz/make-corpus.mjs FOLDER');
  process.exit(2);
}
const allVectors = new URL('../../vectors/', import.meta.url);
const vectors = fileURLToPath(new URL('v1/', allVectors));
const structures = new URL('../../../cpp/include/tamis/structures.def', import.meta.url);
const registry = readFileSync(structures, 'utf8');
// As fuzz.hpp counts them: without url's.
const slugs = [...registry.matchAll(/^TAMIS_STRUCTURE\(\w+, "((?!url-)[\w-]+)"/gm)].map(
  (found) => found[1],
);
const LARGEST = 4096; // bytes; larger seeds only slow the fuzzer down
const MODES = 3;

const { files } = JSON.parse(readFileSync(join(vectors, 'manifest.json'), 'utf8'));
if (files.length === 0) throw new Error(`no golden files in ${vectors}`);
const targets = ['from_bytes', 'model', 'url', 'rice', 'url_list', 'key_lines', 'foreign', 'image'];
for (const target of targets) {
  mkdirSync(join(folder, target), { recursive: true });
}
for (const [i, { file, type }] of files.entries()) {
  const bytes = readFileSync(join(vectors, file));
  if (bytes.length > LARGEST) continue;
  const own = slugs.indexOf(type);
  for (const which of new Set([own, i % slugs.length])) {
    for (let mode = 0; mode < MODES; mode += 1) {
      const first = which * MODES + mode;
      const seed = Buffer.concat([Buffer.of(first), bytes]);
      writeFileSync(join(folder, 'from_bytes', `${basename(file, '.tamis')}-${first}`), seed);
    }
  }
  writeFileSync(join(folder, 'model', basename(file, '.tamis')), bytes);
}

const { vectors: urls } = JSON.parse(
  readFileSync(new URL('url/canonicalize.json', allVectors), 'utf8'),
);
for (const [i, { input }] of urls.entries()) {
  if (input === undefined) continue;
  // A character is a byte; before them, that the platform says nothing about the host.
  const seed = Buffer.concat([Buffer.of(0), Buffer.from(input, 'latin1')]);
  writeFileSync(join(folder, 'url', `${i}`), seed);
}

const streams = readFileSync(new URL('url/rice-v5.txt', allVectors), 'utf8').split('\n');
for (const [i, line] of streams.entries()) {
  if (line === '' || line.startsWith('#')) continue;
  const [parameter, first, count, data] = line.split(' ');
  const width = first.length / 2;
  // As rice.cpp reads them.
  const head = Buffer.of(Math.log2(width / 4), Number(parameter) - 8 * width + 30, Number(count));
  const rest = Buffer.from(first + data.replace('-', ''), 'hex');
  writeFileSync(join(folder, 'rice', `${i}`), Buffer.concat([head, rest]));
}

const lists = fileURLToPath(new URL('v1/url/', allVectors));
for (const { file, type } of JSON.parse(readFileSync(join(lists, 'manifest.json'), 'utf8')).files) {
  const bytes = readFileSync(join(lists, file));
  if (bytes.length > LARGEST) continue;
  // With the checksums made right, and as they are.
  for (const mode of [0, 2]) {
    const first = mode + (type === 'url-delta' ? 1 : 0);
    const seed = Buffer.concat([Buffer.of(first), bytes]);
    writeFileSync(join(folder, 'url_list', `${basename(file, '.tamis')}-${first}`), seed);
  }
}

const lines = [
  'a\nb\r\nc',
  '\n\n\r\r\n',
  '\u00ef\u00bb\u00bfone\ntwo\n',
  `${'long'.repeat(40)}\r\n\r\nend`,
  'a\0b\0\0c;d',
];
for (const [i, text] of lines.entries()) {
  for (const separator of [10, 0, 59, 0xbb]) {
    // The separator, the room less 1, two sizes of pieces; then the text, a character a byte.
    const seed = Buffer.concat([Buffer.of(separator, i, 1, 4, 40), Buffer.from(text, 'latin1')]);
    writeFileSync(join(folder, 'key_lines', `${i}-${separator}`), seed);
  }
}

// Of each rule the size and the step of its layers, and bytes that are about half full.
const tables = [
  [201, 3],
  [16, 2],
  [16, 4],
  [16, 4],
  [32, 4],
  [13, 1],
];
for (const [rule, [size, step]] of tables.entries()) {
  for (const width of rule < 4 ? [1] : [1, 2, 4]) {
    for (const layers of rule < 4 ? [1, 3] : [1]) {
      // As foreign.cpp reads them.
      const head = Buffer.alloc(11 + 16 * layers);
      head.set([rule, width | 8, layers | 128]);
      head.writeBigUInt64LE(0x0123456789abcdefn, 3);
      for (let i = 0; i < layers; i += 1) {
        head.writeBigUInt64LE(BigInt(size), 11 + 16 * i);
        head.writeUInt32LE(64 * i, 19 + 16 * i);
        head.writeUInt32LE(step, 23 + 16 * i);
      }
      const bytes = Buffer.from({ length: 192 }, (_, i) => (i * 37) ^ (i >> 2));
      const seed = Buffer.concat([head, bytes]);
      writeFileSync(join(folder, 'foreign', `${rule}-${width}-${layers}`), seed);
    }
  }
}

/** As image.cpp reads it: `heads` are the first 4 bytes of each prefix. Its checksum is wrong. */
function imageOf(heads, width) {
  const bucketBits = heads.length < 2 ? 0 : Math.ceil(Math.log2(heads.length));
  const lowBits = 32 - bucketBits;
  const fill = (places, size) => {
    const bytes = Buffer.alloc(size);
    for (const place of places) bytes[place >> 3] |= 1 << (place & 7);
    return bytes;
  };
  const lows = heads.flatMap((head, i) =>
    Array.from({ length: lowBits }, (_, bit) => bit)
      .filter((bit) => (head >>> bit) & 1)
      .map((bit) => i * lowBits + bit),
  );
  const ones = heads.map((head, i) => Math.floor(head / 2 ** lowBits) + i);
  const header = Buffer.alloc(128);
  [width, heads.length, 1, 7].forEach((number, i) => {
    header.writeUInt32LE(number, 12 + 4 * i);
  });
  header.write('labels5', 28);
  const words = Math.ceil((heads.length * lowBits) / 64);
  const blocks = Math.ceil((heads.length + 2 ** bucketBits) / 512);
  const tails = Buffer.from({ length: heads.length * (width - 4) }, (_, i) => i);
  const empty = heads.length === 0;
  return Buffer.concat([header, fill(lows, 8 * words), fill(ones, empty ? 0 : 64 * blocks), tails]);
}

const someHeads = [[], [7], [0, 0xffffffff], [5, 0x100003f3, 0x100003f4]];
for (const [i, heads] of [...someHeads, Array.from({ length: 40 }, (_, i) => i * 9e7)].entries()) {
  for (const width of [4, 8, 32]) {
    const seed = Buffer.concat([Buffer.of(0), imageOf(heads, width)]);
    writeFileSync(join(folder, 'image', `${i}-${width}`), seed);
  }
}
