// Tests of the checks of the rooms, with folders that break every rule once.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { checkTable } from '../../js/scripts/rooms-of-js.mjs';

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
  const many = (count: number, entry: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`node_modules/p${i}`, entry]));

  /** Files that keep the rules. Some of them look as if they broke one. */
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
    'cpp/bench/speed.cpp': '#include <cstdio>\n#include <tamis/tamis.hpp>\n',
    'js/src/core/errors.ts': "import '../wasm/registry.js';\n",
    'bindings/module.cpp': '#include <emscripten/bind.h>\n#include <tamis/tamis.hpp>\n',
    'package-lock.json': lockOf({
      '': { name: 'root' },
      'node_modules/a': { integrity },
      'node_modules/b': { resolved: 'b', link: true },
      b: { name: 'b' },
      ...many(397, { integrity }),
      'node_modules/elsewhere': { integrity, os: ['haiku'] },
    }),
    'lab/package-lock.json': lockOf(many(401, { integrity })),
    'node_modules/a/package-lock.json': lockOf({ 'node_modules/b': {} }),
  };

  /** A file that breaks a rule, its text, and the expected finding: the line and the first words. */
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
    ['bindings/b.hpp', '#include <tamis/hash/b.hpp>\n', '1: includes tamis/hash/b.hpp'],
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
      'package-lock.json',
      lockOf({ '': { name: 'root' }, ...many(401, { integrity }) }),
      '1: has 401 packages, of 400 at most',
    ],
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
    const { status, lines } = check(makeTree({}));
    expect(status).toBe(1);
    expect(lines).toEqual([
      'js/src:1: is empty: no import was checked.',
      'cpp:1: is empty: nothing was checked.',
    ]);
  });

  describe('imports of js/src', () => {
    /** A file, the modules that it may import, and some that it may not. */
    const rooms: [path: string, allowed: string[], refused: string[]][] = [
      ['index.ts', ['./any.js', './core/a.js', './filters/bloom.js'], ['./wasm/a.js', 'tamis']],
      ['any.ts', ['./core/a.js', './filters/bloom.js'], ['./index.js', './url/list/a.js']],
      [
        'filters/cuckoo.ts',
        ['../core/a.js', '../core/signed/a.js', '../wasm/parts/a.js'],
        [
          './bloom.js',
          '../index.js',
          '..',
          '../wasm/core.js',
          '#wasm',
          'node:fs',
          'tamis',
          'lodash',
        ],
      ],
      ['filters/counting-bloom.ts', ['./bloom.js', '../core/a.js'], ['./cuckoo.js', '..']],
      [
        'schemes/a.ts',
        ['./b.js', '../core/a.js', '../wasm/parts/a.js'],
        ['../filters/bloom.js', '../wasm/core.js'],
      ],
      [
        'interop/a.ts',
        [
          ...['./b.js', '../core/a.js', '../filters/bloom.js', '../filters/blocked-bloom.js'],
          ...['../schemes/a.js', '../wasm/part.js', '../wasm/parts/a.js'],
        ],
        ['../filters/cuckoo.js', '../any.js', '../wasm/other/a.js', 'tamis'],
      ],
      ['redis/a.ts', ['../core/a.js', '../interop/redis-blocks.js'], ['../interop/guava.js']],
      ['core/a.ts', ['./b.js', '../wasm/core.js'], ['./border/b.js', '../any.js', '#wasm']],
      ['core/border/a.ts', ['./b.js', '../b.js', '../../wasm/parts/b.js'], ['../keys/b.js']],
      ['core/keys/a.ts', ['./b.js', '../b.js', '../border/b.js'], ['../structures/b.js']],
      ['core/signed/a.ts', ['./b.js', '../b.js'], ['../border/b.js', '../../url/list/a.js']],
      ['core/structures/a.ts', ['../border/b.js', '../keys/b.js'], ['../../filters/bloom.js']],
      [
        'wasm/a.ts',
        ['./b.js', 'node:buffer'],
        ['./parts/b.js', '../core/a.js', '#wasm', 'node:fs'],
      ],
      ['wasm/parts/a.ts', ['./b.js', '../b.js'], ['../../core/a.js']],
      [
        'read/a.ts',
        ['./b.js', '../core/errors.js', '../core/key-types.js'],
        ['../core/options.js', '../core/border/b.js', '../core/keys/keys.js', '../wasm/parts/b.js'],
      ],
      [
        'pages/a.ts',
        ['./b.js', '../core/signed/a.js'],
        ['../filters/a.js', './index.js', './builder/a.js', '../disk/index.js', 'node:fs'],
      ],
      [
        'pages/builder/a.ts',
        ['./b.js', '../b.js', '../../filters/a.js', '../../disk/index.js', 'node:fs'],
        ['../index.js', '../steps.js', '../../disk/a.js', '../../remote/a.js', 'tamis'],
      ],
      ['pages/index.ts', ['./builder/a.js', './a.js', 'node:fs'], ['../remote/a.js', './steps.js']],
      ['pages/steps.ts', ['./builder/a.js', './a.js'], ['./index.js', 'node:fs']],
      ['disk/a.ts', ['./b.js', '../core/errors.js', 'node:fs'], ['../core/a.js', '../node/a.js']],
      ['remote/a.ts', ['../read/a.js', '../pages/a.js'], ['../pages/index.js', '../filters/a.js']],
      ['url/index.ts', ['./list/a.js', '../core/a.js'], ['../filters/bloom.js']],
      ['url/list/a.ts', ['./b.js', '../../core/a.js'], ['../signed/a.js', '../client/a.js']],
      ['url/signed/a.ts', ['./b.js', '../../core/signed/a.js'], ['../list/a.js', 'node:os']],
      [
        'url/client/a.ts',
        ['./b.js', '../list/a.js', '../signed/a.js', '../../core/a.js'],
        ['../server/a.js', '../list/../server/a.js', '../index.js', '../../filters/bloom.js'],
      ],
      ['url/server/a.ts', ['./b.js', '../list/a.js', '../signed/a.js'], ['../client/a.js']],
      ['node/main.ts', ['./frame/a.js', './url/a.js', 'tamis'], ['../pages/index.js', '#command']],
      [
        'node/frame/a.ts',
        ['./b.js', 'tamis/url', 'node:fs', 'cli-progress'],
        ['../files/a.js', '../main.js', '../../filters/bloom.js'],
      ],
      ['node/files/a.ts', ['../frame/a.js', 'tamis'], ['../filters/a.js', '../pages/a.js']],
      ['node/filters/a.ts', ['../frame/a.js', '../files/a.js'], ['../signing/a.js', '../url/a.js']],
      [
        'node/pages/a.ts',
        ['../signing/a.js', '../../pages/steps.js', '../../disk/index.js', 'tamis/pages'],
        ['../url/a.js', '../../pages/a.js', '../../pages/index.js', '../../pages/builder/a.js'],
      ],
      ['node/url/a.ts', ['../signing/a.js', '../filters/a.js'], ['../pages/a.js', '../redis/a.js']],
      ['node/redis/a.ts', ['../files/a.js', '../filters/a.js'], ['../signing/a.js']],
    ];
    const importing = (names: string[]) => names.map((name) => `import '${name}';\n`).join('');
    const { lines } = check(
      makeTree({
        ...good,
        ...Object.fromEntries(
          rooms.map(([path, allowed, refused]) => [
            `js/src/${path}`,
            importing([...allowed, ...refused]),
          ]),
        ),
        'js/src/core/loose.mjs': "import '../any.js';\n",
        'js/src/attic/a.ts': importing(['../core/a.js', './b.js']),
        'js/src/core/in-types.ts': "export type A = import('../url/list/a.js').A;\n",
        'js/src/core/later.ts': "export const later = () => import('../any.js');\n",
        'js/src/core/text.ts': "// import '../any.js'\nexport const a = \"import '../any.js'\";\n",
      }),
    );
    const linesOf = (path: string) =>
      lines
        .filter((line) => line.startsWith(`js/src/${path}:`))
        .map((line) => Number(line.split(':')[1]));

    test.each(rooms)('%s', (path, allowed, refused) => {
      expect(linesOf(path)).toEqual(refused.map((_, i) => allowed.length + i + 1));
    });

    test('in types and by import(); a text is none', () => {
      expect(linesOf('core/in-types.ts')).toEqual([1]);
      expect(linesOf('core/later.ts')).toEqual([1]);
      expect(linesOf('core/text.ts')).toEqual([]);
      expect(linesOf('core/loose.mjs')).toEqual([1]);
    });

    test('a file in no room', () => {
      const found = lines.filter((line) => line.includes('attic'));
      expect(found).toEqual([expect.stringContaining('lies in no room')]);
    });

    test('the table has no arrow upward, and so no circle', () => {
      expect(checkTable()).toEqual([]);
      const low = { room: 'low', knows: [] };
      expect(checkTable([low, { room: 'high', knows: ['low/a.ts'] }])).toEqual([]);
      expect(
        checkTable([
          { ...low, knows: ['high'] },
          { room: 'high', knows: ['high'] },
        ]),
      ).toEqual([
        'low knows high, which does not stand before it',
        'high knows high, which does not stand before it',
      ]);
    });
  });
});

describe("Biome's rules for users of the package", () => {
  /** A file, the modules that it may import, and some that it may not. */
  const rooms: [path: string, allowed: string[], refused: string[]][] = [
    [
      'tests/js/a.ts',
      ['tamis', './b.js'],
      ['#wasm', '../../js/src/index.js', '../../dist/index.js'],
    ],
    [
      'lab/bench/a.mjs',
      ['tamis', '../../js/scripts/build.mjs'],
      ['../../js/src/index.js', '../../dist/index.js'],
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
