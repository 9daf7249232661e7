// The checks of the rooms, checked: folders in which every rule is broken once.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function makeTree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'rooms-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('check-rooms.mjs', () => {
  const check = (root: string) => {
    const script = join(repository, 'js/scripts/check-rooms.mjs');
    const run = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
    return { status: run.status, lines: run.stderr.split('\n').filter((line) => line !== '') };
  };

  const integrity = `sha512-${'a'.repeat(86)}==`;
  const lockOf = (packages: object) => JSON.stringify({ packages }, null, 1);

  /** What keeps the rules, also where it looks as if it did not. */
  const good = {
    'cpp/include/tamis/tamis.hpp': '#include <tamis/registry.hpp>\n',
    'cpp/include/tamis/registry.hpp': '#include <tamis/filters/bloom.hpp>\n',
    'cpp/include/tamis/detail/buffer.hpp': 'inline void* take() { return malloc(1); }\n',
    'cpp/include/tamis/filters/bloom.hpp': '#include <cmath>\n#include <tamis/hash.hpp>\n',
    'cpp/include/tamis/filters/bit_array.hpp':
      '// #include <iostream> and throw new Error\nstruct A { A(const A&) = delete; };\n',
    'cpp/include/tamis/detail/isa.hpp': '#if defined(__SSE2__)\n#define TAMIS_ISA sse2\n#endif\n',
    'cpp/include/tamis/detail/simd.hpp':
      '#if defined(__SSE2__)\n#endif\ninline namespace TAMIS_ISA {\n}  // namespace TAMIS_ISA\n',
    'cpp/src/simd.cpp': '#if defined(__ARM_NEON)\n#endif\n',
    'cpp/include/tamis/detail/subfilter.hpp': '#include <tamis/filters/bloom.hpp>\n',
    'cpp/src/filters/bloom.cpp':
      '#include <tamis/filters/bloom.hpp>\n#include <new>\n' +
      'const char* text = "throw new std::vector"; double f(double x) { return std::log1p(x); }\n',
    'cpp/src/filters/bloom_probe.cpp': '#include <tamis/filters/bloom.hpp>\n',
    'cpp/bench/speed.cpp': '#include <cstdio>\n#include <tamis/tamis.hpp>\n',
    'bindings/module.cpp': '#include <emscripten/bind.h>\n#include <tamis/tamis.hpp>\n',
    'package-lock.json': lockOf({
      '': { name: 'root' },
      'node_modules/a': { integrity },
      'node_modules/b': { resolved: 'b', link: true },
    }),
    'node_modules/a/package-lock.json': lockOf({ 'node_modules/b': {} }),
  };

  /** A file that breaks a rule, its text, and what is found: the line and the first words. */
  const broken: [path: string, text: string, ...found: string[]][] = [
    ['cpp/include/tamis/a.hpp', '\n#include <emscripten/val.h>\n', '2: includes emscripten'],
    ['tests/cpp/a_test.cpp', '#include <emscripten.h>\n', '1: includes emscripten.h'],
    [
      'cpp/include/tamis/filters/cuckoo.hpp',
      '#include <tamis/filters/bloom.hpp>\n#include "bit_array.hpp"\n#include "../filters/bloom.hpp"\n',
      '1: includes tamis/filters/bloom.hpp: filters never include one another',
      '2: includes bit_array.hpp: filters never',
      '3: includes ../filters/bloom.hpp: filters never',
    ],
    [
      'cpp/src/filters/bit_array.cpp',
      '#include <tamis/filters/bit_array.hpp>\n#include <tamis/filters/bloom.hpp>\n',
      '2: includes tamis/filters/bloom.hpp: filters never',
    ],
    [
      'cpp/include/tamis/wire.hpp',
      '#include <tamis/filters/bloom.hpp>\n',
      '1: includes tamis/filters/bloom.hpp: the core below',
    ],
    ['cpp/src/wire.cpp', '#include <tamis/tamis.hpp>\n', '1: includes tamis/tamis.hpp: the umb'],
    ['cpp/bench/a.cpp', '#  include "../../bindings/a.hpp"\n', '1: includes ../../bindings/a.hpp'],
    ['cpp/bench/b.cpp', '#include "../../tests/cpp/a.hpp"\n', '1: includes ../../tests/cpp/a.hpp'],
    ['cpp/include/tamis/b.hpp', '#include <xxhash.h>\n', '1: includes xxhash.h'],
    ['bindings/a.hpp', '#include <tamis/detail/a.hpp>\n', '1: includes tamis/detail/a.hpp'],
    [
      'cpp/src/loud.cpp',
      '\nvoid b() { printf("b"); }\nvoid c() { std::abort(); }\n',
      '2: says printf: the core prints nothing',
      '3: says abort: the core never aborts',
    ],
    [
      'cpp/src/memory.cpp',
      'int* a = new int;\nvoid* b = std::malloc(1);\nvoid c() { delete a; }\nstd::vector<int> d;\n' +
        '/* two\nlines */ void e() { free(b); }\n',
      '1: says new: memory is allocated in',
      '2: says malloc: memory',
      '3: says delete: memory',
      '4: says std::vector: a standard container',
      '6: says free: memory',
    ],
    [
      'cpp/include/tamis/detail/rate.hpp',
      "constexpr int n = 1'000'000; const double r = std::exp(1.0);\n",
      '1: says std::exp: formulas live in',
    ],
    [
      'cpp/include/tamis/detail/wide.hpp',
      '// inline namespace TAMIS_ISA\n#if defined(__AVX2__)\ninline int f() { return 1; }\n#endif\n',
      '2: says __AVX2__: what depends on it',
    ],
    ['bindings/hot_path.cpp', '// one\n// caf\u00e9\n', '2: holds U+00e9: sources are ASCII'],
    ['web-demo/a.css', '/* caf\u00e9 */\n', '1: holds U+00e9: sources are ASCII'],
    [
      'docs/package-lock.json',
      lockOf({
        'node_modules/a': {},
        'node_modules/b': { integrity: `sha1-${'a'.repeat(27)}=` },
        'node_modules/c': { resolved: 'https://host.example/c.tgz', integrity },
      }),
      '3: node_modules/a has no integrity of sha512',
      '4: node_modules/b has no integrity of sha512',
      '7: node_modules/c names a registry',
    ],
  ];

  test('names what breaks a rule, and nothing else', () => {
    const files = broken.map(([path, text]) => [path, text]);
    const { status, lines } = check(makeTree({ ...good, ...Object.fromEntries(files) }));
    const expected = broken.flatMap(([path, , ...found]) =>
      found.map((words) => `${path}:${words}`),
    );
    const cut = lines.map((line) => expected.find((words) => line.startsWith(words)) ?? line);
    expect(cut.sort()).toEqual(expected.sort());
    expect(status).toBe(1);
  });

  test('passes what keeps the rules', () => {
    expect(check(makeTree(good))).toEqual({ status: 0, lines: [] });
  });

  test('fails where there is nothing to check', () => {
    expect(check(makeTree({})).status).toBe(1);
  });
});

describe("Biome's rules for the rooms of TypeScript", () => {
  /** A file, the modules that it may import, and some that it may not. */
  const rooms: [path: string, allowed: string[], refused: string[]][] = [
    [
      'js/src/index.ts',
      ['./any.js', './core/a.js', './filters/bloom.js'],
      ['./wasm/a.js', 'tamis'],
    ],
    ['js/src/any.ts', ['./core/a.js', './filters/bloom.js'], ['./index.js', './url/list/a.js']],
    [
      'js/src/filters/cuckoo.ts',
      ['../core/a.js', '../core/signed/a.js'],
      ['./bloom.js', '../index.js', '..', '../wasm/core.js', '#wasm', 'node:fs', 'tamis', 'lodash'],
    ],
    [
      'js/src/schemes/a.ts',
      ['./b.js', '../core/a.js', '../wasm/parts/a.js'],
      ['../filters/bloom.js', '../wasm/core.js'],
    ],
    [
      'js/src/interop/a.ts',
      [
        './b.js',
        '../core/a.js',
        '../filters/bloom.js',
        '../filters/blocked-bloom.js',
        '../schemes/a.js',
        '../wasm/part.js',
        '../wasm/parts/a.js',
      ],
      ['../filters/cuckoo.js', '../any.js', '../wasm/other/a.js', 'tamis'],
    ],
    ['js/src/filters/counting-bloom.ts', ['./bloom.js', '../core/a.js'], ['./cuckoo.js', '..']],
    ['js/src/core/a.ts', ['./b.js', './signed/b.js', '../wasm/core.js'], ['../any.js', '#wasm']],
    ['js/src/core/signed/a.ts', ['./b.js', '../b.js', '../keys/b.js'], ['../../url/list/a.js']],
    ['js/src/wasm/a.ts', ['./b.js', './parts/b.js'], ['../core/a.js', '#wasm']],
    [
      'js/src/read/a.ts',
      ['./b.js', '../core/errors.js', '../core/keys/key-types.js'],
      ['../core/border/b.js', '../core/keys/keys.js', '../wasm/parts/b.js'],
    ],
    ['js/src/url/index.ts', ['./list/a.js', '../core/a.js'], ['../filters/bloom.js']],
    ['js/src/url/list/a.ts', ['./b.js', '../../core/a.js'], ['../signed/a.js', '../client/a.js']],
    ['js/src/url/signed/a.ts', ['./b.js', '../../core/signed/a.js'], ['../list/a.js']],
    [
      'js/src/url/client/a.ts',
      ['./b.js', '../list/a.js', '../signed/a.js', '../../core/a.js'],
      ['../server/a.js', '../list/../server/a.js', '../index.js', '../../filters/bloom.js'],
    ],
    ['js/src/url/server/a.ts', ['./b.js', '../list/a.js', '../signed/a.js'], ['../client/a.js']],
    [
      'js/src/node/a.ts',
      ['./b.js', 'tamis/url', 'node:fs', 'cli-progress'],
      ['../filters/bloom.js'],
    ],
    ['js/src/attic/a.ts', [], ['../core/a.js', './b.js']],
    [
      'tests/js/a.ts',
      ['tamis', './b.js'],
      ['#wasm', '../../js/src/index.js', '../../dist/index.js'],
    ],
    [
      'js/bench/a.mjs',
      ['tamis', '../scripts/build.mjs'],
      ['../src/index.js', '../../dist/index.js'],
    ],
    ['web-demo/src/a.ts', ['tamis', '../src/b.js'], ['../../js/src/index.js']],
  ];
  const importing = (names: string[]) => names.map((name) => `import '${name}';\n`).join('');
  const files = Object.fromEntries(
    rooms.map(([path, allowed, refused]) => [path, importing([...allowed, ...refused])]),
  );
  const others = {
    'js/src/core/formula.ts': 'export const k = (n: number) => n * Math.log(2);\n',
    'js/src/interop/formula.ts': 'export const k = (n: number) => n * Math.log(2);\n',
    'js/src/interop/sizing.ts': 'export const k = (n: number) => n * Math.log(2);\n',
    'js/src/core/views.ts':
      'export const a = (x: { memory: WebAssembly.Memory }) => x.memory.buffer;\n' +
      'export const b = (m: { HEAPU8: Uint8Array }) => m.HEAPU8;\n',
    'js/src/core/border/memory.ts':
      'export const a = (x: { memory: WebAssembly.Memory }) => new Uint8Array(x.memory.buffer);\n',
    'js/src/core/c.ts': "import { d } from './d.js';\nexport const c = () => d;\n",
    'js/src/core/d.ts': "import { c } from './c.js';\nexport const d = () => c;\n",
  };

  const root = makeTree({ ...files, ...others });
  for (const name of ['biome.json', 'js/rooms.grit']) {
    copyFileSync(join(repository, name), join(root, name));
  }
  const only = ['style/noRestrictedImports', 'suspicious/noImportCycles', 'plugin'];
  const { stdout } = spawnSync(
    join(repository, 'node_modules/.bin/biome'),
    ['lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', '.'],
    { cwd: root, encoding: 'utf8' },
  );
  const found = [...stdout.matchAll(/title=([\w/]+),file=(.*?),line=(\d+)/g)]
    .map(([, rule, file, line]) => ({ rule: rule?.replace('lint/', ''), file, line: Number(line) }))
    .filter(({ rule }) => rule && only.includes(rule));
  const linesOf = (path: string, rule: string) =>
    found
      .filter((one) => one.rule === rule && one.file?.endsWith(path))
      .map(({ line }) => line)
      .sort((a, b) => a - b);

  test.each(rooms)('%s', (path, allowed, refused) => {
    const lines = refused.map((_, i) => allowed.length + i + 1);
    expect(linesOf(path, 'style/noRestrictedImports')).toEqual(lines);
  });

  test('formulas, views of memory and cycles', () => {
    expect(linesOf('core/formula.ts', 'plugin')).toEqual([1]);
    expect(linesOf('interop/formula.ts', 'plugin')).toEqual([1]);
    expect(linesOf('interop/sizing.ts', 'plugin')).toEqual([]);
    expect(linesOf('core/views.ts', 'plugin')).toEqual([1, 2]);
    expect(linesOf('border/memory.ts', 'plugin')).toEqual([]);
    expect(linesOf('core/c.ts', 'suspicious/noImportCycles')).toEqual([1]);
  });
});
