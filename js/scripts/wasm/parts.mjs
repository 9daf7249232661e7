// The wasm stage: cuts the linked module into a folder of parts. The rest of the build needs nothing else from C++, so
// the folder may also come from another build (`npm run build -- --wasm FOLDER`).

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cut, whole } from './cut.mjs';
import { readLinked } from './linked.mjs';
import { figuresModule, registryModule, rowsOf } from './registry.mjs';

const rows = rowsOf('structures.def', 'TAMIS_STRUCTURE');
const types = rows.map(([, slug]) => slug);
const isList = (part) => ['url-list', 'url-delta'].includes(part);

/**
 * The options for the cut, which cut.mjs describes. C++ declares parts with TAMIS_PART and TAMIS_EXPORT. These options
 * say, by their mangled C++ names, where nodes go that several parts share.
 */
const plan = {
  // A program that uses a URL list also uses its deltas.
  partOf: (part) => (isList(part) ? 'url' : part),
  needs: (part) =>
    [...types, 'interop-bloom', 'interop-blocked-bloom', 'foreign'].includes(part)
      ? ['filters']
      : [],
  rest: 'filters',
  baseUsers: ['url-text', 'url', 'url-lists', 'url-image', 'rice', 'rice-more', 'lines'],
  families: {
    // The code for a type that other parts need as a whole, for example to convert to it.
    ...Object.fromEntries(
      rows.map(([Class, slug]) => [slug, new RegExp(`4kOpsINS_\\d+${Class}E`)]),
    ),
    interop: /check_count/,
    guava64: /murmur3_x64|murmur3_finish/,
    spark: /spark_murmur3/,
    murmur64a: /murmur64a/,
    xxh64: /xxh64/,
    composites: /Subfilters/,
    url: /PrefixSet/,
    'url-text': /Sha256/,
    rice: /3url12_GLOBAL__N_16decode/,
    'rice-core': /\d+Rice[A-Z]/,
    'packed-array': /PackedArray4read/,
    'packed-memory': /PackedArray/,
    'bloom-core': /N5tamis11BloomFilter/,
    'blocked-core': /N5tamis18BlockedBloomFilter/,
    'bloom-formulas': /6sizing\d+bloom_/,
    retrieval: /Retrieval/,
    'hash-records': /HashRecords/,
  },
};

/** The features that engines must support. wasm-opt refuses a part that uses others. */
const features = [
  'simd',
  'bulk-memory',
  'mutable-globals',
  'sign-ext',
  'nontrapping-float-to-int',
  // Newer Emscriptens link code that declares these two features, but no part uses them.
  'reference-types',
  'multivalue',
].map((name) => `--enable-${name}`);

/** wasm-opt without the passes that reorder functions and locals, because the linker's order compresses better. */
const passes = ['-Oz', '--converge', '--low-memory-unused'];

function makeOptimizer() {
  const binaryen = execFileSync('em-config', ['BINARYEN_ROOT'], { encoding: 'utf8' }).trim();
  return (wasm, path) =>
    execFileSync(join(binaryen, 'bin', 'wasm-opt'), ['-', ...features, ...passes, '-o', path], {
      input: wasm,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
}

const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');
/** A digest of the numbers that wasm and JavaScript share, at the time when the wasm was made. */
const borderDigest = () => digestOf(registryModule() + figuresModule());
const listName = 'parts.json';
/** The file with all parts in one module. */
const wholeFile = 'core.wasm';

/** Cuts the linked module in `from` into parts, and writes them to `to`. */
export function makeParts(from, to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const optimize = makeOptimizer();
  const linked = readLinked(readFileSync(join(from, wholeFile)));
  const modules = [...cut(linked, plan)].map(([name, { wasm, needs }]) => ({
    made: { name, needs, file: `${name}.wasm` },
    wasm,
  }));
  const files = [...modules, { made: { file: wholeFile }, wasm: whole(linked, plan) }];
  const parts = files.map(({ made, wasm }) => {
    optimize(wasm, join(to, made.file));
    return { ...made, sha256: digestOf(readFileSync(join(to, made.file))) };
  });
  const emscripten = execFileSync('emcc', ['-dumpversion'], { encoding: 'utf8' }).trim();
  const list = { emscripten, border: borderDigest(), parts };
  writeFileSync(join(to, listName), `${JSON.stringify(list, undefined, 2)}\n`);
}

/**
 * The parts in such a folder, each with its wasm. The module with all parts has no name. Throws if a file differs from
 * the list in the folder, or if the list was made from other definitions than those in the sources.
 */
export function readParts(folder) {
  const { emscripten, border, parts } = JSON.parse(readFileSync(join(folder, listName), 'utf8'));
  if (border !== borderDigest())
    throw new Error(`${folder} was made from other .def files than this tree has`);
  return {
    emscripten,
    parts: parts.map((part) => {
      const wasm = readFileSync(join(folder, part.file));
      if (digestOf(wasm) !== part.sha256)
        throw new Error(`${join(folder, part.file)} does not have the SHA-256 in ${listName}`);
      return { ...part, wasm };
    }),
  };
}

/** The gzipped size of each part's file. */
export const sizesOf = (parts) =>
  Object.fromEntries(parts.map(({ file, wasm }) => [file, gzipSync(wasm, { level: 9 }).length]));
