// The check of the import rules, checked: a folder that breaks every rule once.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const script = fileURLToPath(new URL('../../js/scripts/check-rooms.mjs', import.meta.url));

function writeTree(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function check(root?: string): { status: number | null; lines: string[] } {
  const run = spawnSync(process.execPath, root ? [script, root] : [script], { encoding: 'utf8' });
  return { status: run.status, lines: run.stderr.split('\n').filter((line) => line !== '') };
}

/** What keeps the rules, also where it looks as if it did not. */
const good = {
  'cpp/include/tamis/registry.hpp': '#include <tamis/filters/bloom.hpp>\n',
  'cpp/include/tamis/tamis.hpp': '#include <tamis/registry.hpp>\n',
  'cpp/include/tamis/hash.hpp': '#include <cstdint>\n',
  'cpp/include/tamis/detail/buffer.hpp': 'inline void* take() { return malloc(1); }\n',
  'cpp/include/tamis/filters/bloom.hpp': '#include <cmath>\n#include <tamis/hash.hpp>\n',
  'cpp/include/tamis/filters/bit_array.hpp':
    '// #include <iostream> and throw new Error\nstruct A { A(const A&) = delete; };\n',
  'cpp/include/tamis/detail/isa.hpp': '#if defined(__SSE2__)\n#define TAMIS_ISA sse2\n#endif\n',
  'cpp/include/tamis/detail/simd.hpp':
    '#if defined(__SSE2__)\n#endif\ninline namespace TAMIS_ISA {\n}  // namespace TAMIS_ISA\n',
  'cpp/src/simd.cpp': '#if defined(__ARM_NEON)\n#endif\n',
  'cpp/include/tamis/detail/part.hpp': '#include <tamis/filters/bloom.hpp>\n',
  'cpp/src/bloom.cpp':
    '#include <tamis/filters/bloom.hpp>\n#include <new>\n' +
    'const char* text = "throw new std::vector"; double f(double x) { return std::log1p(x); }\n',
  'cpp/src/bloom_probe.cpp': '#include <tamis/filters/bloom.hpp>\n',
  'cpp/src/bloom_build.cpp': '#include <tamis/filters/bloom.hpp>\n',
  'cpp/bench/speed.cpp': '#include <cstdio>\n#include <tamis/tamis.hpp>\n',
  'bindings/module.cpp': '#include <emscripten/bind.h>\n#include <tamis/tamis.hpp>\n',
  'js/src/index.ts': "export { BloomFilter } from './filters/bloom.js';\n",
  'js/src/core/memory.ts':
    'export const view = (memory: WebAssembly.Memory) => new Uint8Array(memory.buffer);\n',
  'js/src/core/runtime.ts': "import { load } from '#wasm';\nimport './memory.js';\nload();\n",
  'js/src/core/keys.ts': "// HEAPU8 and import './index.js'\nexport const s = 'Math.log(2)';\n",
  'js/src/filters/bloom.ts': "export * from '../core/memory.js';\n",
  'js/src/node/main.ts': "import 'node:fs';\nimport 'tamis';\nimport 'cli-progress';\n",
  'js/src/wasm/core.d.ts': 'export interface Core { readonly HEAPU8: Uint8Array }\n',
  'tests/js/a.test.ts': "import 'tamis';\nimport './help.js';\nimport '../../js/scripts/x.mjs';\n",
};

/** One broken rule each: the file, its text, and the lines reported for it. */
const broken: [rule: string, path: string, text: string, reported: string[]][] = [
  [
    'a function of an instruction set under a name for all',
    'cpp/include/tamis/detail/wide.hpp',
    '// inline namespace TAMIS_ISA\n#if defined(__AVX2__)\ninline int f() { return 1; }\n#endif\n',
    [':2: says __AVX2__: what depends on it stands in inline namespace TAMIS_ISA (detail/isa.hpp)'],
  ],
  [
    'Emscripten outside bindings',
    'cpp/include/tamis/a.hpp',
    '\n#include <emscripten/val.h>\n',
    [':2: includes emscripten/val.h: only bindings/ may know Emscripten'],
  ],
  [
    'Emscripten in the native tests',
    'tests/cpp/a_test.cpp',
    '#include <emscripten.h>\n',
    [':1: includes emscripten.h: only bindings/ may know Emscripten'],
  ],
  [
    'a filter that includes another',
    'cpp/include/tamis/filters/cuckoo.hpp',
    '#include <tamis/filters/bloom.hpp>\n',
    [':1: includes tamis/filters/bloom.hpp: filters never include one another'],
  ],
  [
    'a filter that includes its neighbour by a relative path',
    'cpp/include/tamis/filters/ribbon.hpp',
    '#include "bit_array.hpp"\n',
    [':1: includes bit_array.hpp: filters never include one another'],
  ],
  [
    "a filter's source that includes another filter",
    'cpp/src/bit_array.cpp',
    '#include <tamis/filters/bit_array.hpp>\n#include <tamis/filters/bloom.hpp>\n',
    [':2: includes tamis/filters/bloom.hpp: filters never include one another'],
  ],
  [
    'the core below the filters that knows one',
    'cpp/include/tamis/wire.hpp',
    '#include <tamis/filters/bloom.hpp>\n',
    [':1: includes tamis/filters/bloom.hpp: the core below the filters knows none of them'],
  ],
  [
    'the C++ umbrella from inside',
    'cpp/src/wire.cpp',
    '#include <tamis/tamis.hpp>\n',
    [
      ':1: includes tamis/tamis.hpp: the umbrella is for users, nothing inside the library includes it',
    ],
  ],
  [
    'cpp that knows bindings',
    'cpp/bench/speed.cpp',
    '#include "../../bindings/any_filter.hpp"\n',
    [':1: includes ../../bindings/any_filter.hpp: cpp knows nothing of bindings/'],
  ],
  [
    'bindings that reach into detail',
    'bindings/any_filter.hpp',
    '#include <tamis/detail/buffer.hpp>\n',
    [
      ':1: includes tamis/detail/buffer.hpp: bindings use the public headers of cpp, not its detail/ or src/',
    ],
  ],
  [
    'streams, exceptions and libm among the includes',
    'cpp/src/includes.cpp',
    '#include <iostream>\n#include <stdexcept>\n  #  include <cmath>\n',
    [
      ':1: includes iostream: the core prints nothing',
      ':2: includes stdexcept: the core is built without exceptions and RTTI',
      ':3: includes cmath: formulas live in sizing.hpp, on its own functions; <cmath> serves the estimates of Bloom',
    ],
  ],
  [
    'throwing, printing and aborting',
    'cpp/src/loud.cpp',
    'void a() { throw 1; }\nvoid b() { printf("b"); }\nvoid c() { std::abort(); }\n',
    [
      ':1: says throw: the core throws nothing: it returns a Status',
      ':2: says printf: the core prints nothing',
      ':3: says abort: the core never aborts',
    ],
  ],
  [
    'memory that is allocated elsewhere',
    'cpp/src/memory.cpp',
    'int* a = new int;\nvoid* b = std::malloc(1);\nvoid c() { delete a; }\nstd::vector<int> d;\n' +
      '/* two\nlines */ void e() { free(b); }\n',
    [
      ':1: says new: memory is allocated in detail/buffer.hpp alone, where failure is a Status',
      ':2: says malloc: memory is allocated in detail/buffer.hpp alone, where failure is a Status',
      ':3: says delete: memory is allocated in detail/buffer.hpp alone, where failure is a Status',
      ':4: says std::vector: a standard container ends the program when memory is short; use detail::Buffer',
      ':6: says free: memory is allocated in detail/buffer.hpp alone, where failure is a Status',
    ],
  ],
  [
    'a formula outside sizing.hpp',
    'cpp/include/tamis/detail/rate.hpp',
    "constexpr int n = 1'000'000; const double r = std::exp(1.0);\n",
    [
      ':1: says std::exp: formulas live in sizing.hpp, on its own functions; <cmath> serves the estimates of Bloom',
    ],
  ],
  [
    'a TypeScript filter that imports another',
    'js/src/filters/cuckoo.ts',
    "import { BloomFilter } from './bloom.js';\n",
    [':1: imports ./bloom.js: filters never import one another'],
  ],
  [
    'a filter that reaches past core',
    'js/src/filters/ribbon.ts',
    "import type { Core } from '../wasm/core.js';\nconst late = import('#wasm');\n",
    [
      ':1: imports ../wasm/core.js: js/src/filters may import only core',
      ':2: imports #wasm: js/src/filters may import only core',
    ],
  ],
  [
    'core that knows a filter, Node, a dependency',
    'js/src/core/filter.ts',
    "export * from '../filters/bloom.js';\nimport 'node:fs';\nimport 'lodash';\n",
    [
      ':1: imports ../filters/bloom.js: js/src/core may import only core, wasm',
      ':2: imports node:fs: js/src/core may import only core, wasm',
      ':3: imports lodash: js/src/core may import only core, wasm',
    ],
  ],
  [
    'index.ts from inside, in every spelling',
    'js/src/core/loop.ts',
    "import '../index.js';\nimport '../index';\nimport '..';\n" +
      "import { version } from 'tamis';\ntype V = import('../index.ts').V;\n",
    ['../index.js', '../index', '..', 'tamis', '../index.ts'].map(
      (name, index) =>
        `:${index + 1}: imports ${name}: index.ts is for users, nothing inside the package imports it`,
    ),
  ],
  [
    'wasm that looks up',
    'js/src/wasm/external.ts',
    "import '../core/memory.js';\n",
    [':1: imports ../core/memory.js: js/src/wasm may import only wasm'],
  ],
  [
    'the command line that reaches inside',
    'js/src/node/build.ts',
    "import '../filters/bloom.js';\nimport '../index.js';\n",
    [
      ':1: imports ../filters/bloom.js: js/src/node may import only node, tamis, node:, npm',
      ':2: imports ../index.js: index.ts is for users, nothing inside the package imports it',
    ],
  ],
  [
    'an unknown room',
    'js/src/attic/x.ts',
    "import '../core/memory.js';\n",
    [
      ':1: imports ../core/memory.js: js/src/attic is no room that check-rooms.mjs knows; add it to JS_ROOMS',
    ],
  ],
  ...['tests/js/b.test.ts', 'tests/e2e/c.test.mjs', 'js/examples/d.mjs', 'js/bench/e.mjs'].map(
    (path): [string, string, string, string[]] => [
      `a user of the package that goes round its exports (${path})`,
      path,
      "import '../../js/src/index.js';\nawait import('../../dist/index.js');\nimport '#wasm';\n",
      ['../../js/src/index.js', '../../dist/index.js', '#wasm'].map(
        (name, index) =>
          `:${index + 1}: imports ${name}: it uses the package, so it imports it by its name, 'tamis'`,
      ),
    ],
  ),
  [
    'the demo that goes round the exports',
    'web-demo/src/main.ts',
    "export { BloomFilter } from '../../js/src/filters/bloom.js';\n",
    [
      ":1: imports ../../js/src/filters/bloom.js: it uses the package, so it imports it by its name, 'tamis'",
    ],
  ],
  [
    'views of wasm memory elsewhere',
    'js/src/core/leak.ts',
    'export const a = (m: { HEAPU8: Uint8Array }) => m.HEAPU8;\n' +
      'export const b = (x: { memory: WebAssembly.Memory }) => x.memory.buffer;\n',
    [
      ':1: says HEAPU8: views of wasm memory stay in js/src/core/memory.ts',
      ':1: says HEAPU8: views of wasm memory stay in js/src/core/memory.ts',
      ':2: says x.memory.buffer: views of wasm memory stay in js/src/core/memory.ts',
    ],
  ],
  [
    'a formula in TypeScript',
    'js/src/core/sizing.ts',
    'export const k = (m: number, n: number) => (m / n) * Math.log(2);\n',
    [':1: says Math.log: formulas live in sizing.hpp'],
  ],
  [
    'a source that is not ASCII',
    'bindings/hot_path.cpp',
    '// one\n// caf\u00e9\n',
    [':2: holds U+00e9: sources are ASCII'],
  ],
];

describe('check-rooms', () => {
  let root: string;
  let found: ReturnType<typeof check>;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'rooms-'));
    writeTree(join(root, 'good'), good);
    writeTree(join(root, 'bad'), good);
    for (const [, path, text] of broken) writeTree(join(root, 'bad'), { [path]: text });
    mkdirSync(join(root, 'empty'));
    found = check(join(root, 'bad'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test.each(broken)('names %s', (_rule, path, _text, reported) => {
    const lines = found.lines.filter((line) => line.startsWith(`${path}:`));
    expect(lines).toEqual(reported.map((line) => `${path}${line}.`));
  });

  test('names nothing else, and fails', () => {
    expect(found.lines).toHaveLength(broken.flatMap(([, , , reported]) => reported).length);
    expect(found.status).toBe(1);
  });

  test('passes what keeps the rules', () => {
    expect(check(join(root, 'good'))).toEqual({ status: 0, lines: [] });
  });

  test('fails where there is nothing to check', () => {
    expect(check(join(root, 'empty')).status).toBe(1);
  });

  test('passes this repository', () => {
    expect(check()).toEqual({ status: 0, lines: [] });
  });
});
