// The check of the registries, checked: a complete folder passes, and each missing piece is named.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const script = fileURLToPath(new URL('../../js/scripts/check-registry.mjs', import.meta.url));

function check(folder?: string): { status: number | null; lines: string[] } {
  const run = spawnSync(process.execPath, folder ? [script, folder] : [script], {
    encoding: 'utf8',
  });
  return { status: run.status, lines: run.stderr.split('\n').filter((line) => line !== '') };
}

const golden = (id: number): string => `${'.'.repeat(10)}${String.fromCharCode(id)}`;

const complete: Record<string, string> = {
  'cpp/include/tamis/structures.def':
    '// TAMIS_STRUCTURE(Type, slug, wire id, hashing)\n' +
    'TAMIS_STRUCTURE(BloomFilter, "bloom", 1, kBloomSchemes)\n' +
    'TAMIS_STRUCTURE(BitArray, "bit-array", 15, kUnhashed)\n',
  'cpp/include/tamis/status.def':
    'TAMIS_STATUS(kFull, "ERR_TAMIS_FULL", "full")\n' +
    'TAMIS_STATUS(kWrongKey, "ERR_TAMIS_WRONG_KEY",\n             "the key (of another)")\n',
  'cpp/include/tamis/filters/bloom.hpp': 'class BloomFilter {};\n',
  'cpp/include/tamis/filters/bit_array.hpp': 'class BitArray {};\n',
  'bindings/figures.def': 'TAMIS_FIGURE(kCount, count)\nTAMIS_FIGURE(kSizeBytes, size_bytes)\n',
  'js/src/core/structure.ts':
    "const typeIds = {\n  bloom: 1,\n  'bit-array': 15,\n};\n" +
    "const figureNames = ['count', 'sizeBytes'] as const;\n",
  'js/src/any.ts': 'type AnyStructure = BloomFilter | BitArray;\n',
  'tests/js/classes.ts': "import { BitArray, BloomFilter } from 'tamis';\n",
  'cpp/FORMAT.md': '# Format\n## 7.1 bloom (type 1)\n## 7.2 `bit-array`\n',
  'js/src/filters/bloom.ts': 'export class BloomFilter extends Base {}\n',
  'js/src/filters/bit-array.ts': 'export class BitArray {}\n',
  'js/src/index.ts':
    "export { BitArray, type BitArrayOptions } from './filters/bit-array.js';\n" +
    "export {\n  BloomFilter,\n  type BloomOptions,\n} from './filters/bloom.js';\n",
  'js/src/core/errors.ts':
    "// not ERR_TAMIS_OTHER\nexport type Code = 'ERR_TAMIS_FULL' | 'ERR_TAMIS_WRONG_KEY';\n",
  'tests/vectors/v1/bloom-empty.tamis': golden(1),
  'tests/vectors/v1/bit-array-65.tamis': golden(15),
  'README.md':
    '# tamis\n## Which filter?\n| need | class |\n|---|---|\n| add | `BloomFilter` |\n' +
    '### Exact\n| index | `BitArray` |\n' +
    '## Errors\n| code | means |\n|---|---|\n| `ERR_TAMIS_FULL` | full |\n' +
    '| `ERR_TAMIS_WRONG_KEY` | key |\n## More\n',
  'CHANGELOG.md': '## 0.1.0\n- `BloomFilter` and `BitArray`.\n',
};

/** Each case changes one piece: what goes in its place ('' is nothing), and the sentence for it. */
const cases: [what: string, path: string, from: string, to: string, sentence: string][] = [
  [
    'the C++ class',
    'cpp/include/tamis/filters/bit_array.hpp',
    'BitArray',
    'BitArrays',
    'BitArray: no class of that name in cpp/include/tamis/filters/bit_array.hpp.',
  ],
  [
    'the TypeScript class',
    'js/src/filters/bit-array.ts',
    'export class BitArray',
    'class BitArray',
    'BitArray: no exported class of that name in js/src/filters/bit-array.ts.',
  ],
  [
    'its id in TypeScript',
    'js/src/core/structure.ts',
    "'bit-array': 15",
    "'bit-array': 16",
    'BitArray: js/src/core/structure.ts does not give bit-array the id 15.',
  ],
  ['its loader', 'js/src/any.ts', ' | BitArray', '', 'BitArray: js/src/any.ts does not name it.'],
  [
    'its place under the contract',
    'tests/js/classes.ts',
    'BloomFilter',
    '',
    'BloomFilter: tests/js/classes.ts does not name it.',
  ],
  [
    'the order of the figures',
    'js/src/core/structure.ts',
    "'count', 'sizeBytes'",
    "'sizeBytes', 'count'",
    'js/src/core/structure.ts has other figures than bindings/figures.def, or in another order.',
  ],
  [
    'its export',
    'js/src/index.ts',
    'BitArray,',
    '',
    'BitArray: js/src/index.ts does not export it.',
  ],
  [
    'a value export (a type is not enough)',
    'js/src/index.ts',
    '  BloomFilter,',
    '  type BloomFilter,',
    'BloomFilter: js/src/index.ts does not export it.',
  ],
  [
    'its section in FORMAT.md (another name that contains it is not enough)',
    'cpp/FORMAT.md',
    '## 7.1 bloom',
    '## 7.1 blocked-bloom',
    'BloomFilter: cpp/FORMAT.md has no section whose heading names bloom.',
  ],
  [
    'its golden files',
    'tests/vectors/v1/bloom-empty.tamis',
    golden(1),
    golden(15),
    'BloomFilter: no golden file tests/vectors/v1/bloom-*.tamis that holds type id 1; run npm run vectors.',
  ],
  [
    'its row in the README (elsewhere is not enough)',
    'README.md',
    '| add | `BloomFilter` |',
    'BloomFilter',
    'BloomFilter: the table "Which filter?" of README.md has no row for it.',
  ],
  [
    'its line in the CHANGELOG',
    'CHANGELOG.md',
    ' and `BitArray`',
    '',
    'BitArray: CHANGELOG.md does not mention it.',
  ],
  [
    'the form of its entry',
    'cpp/include/tamis/structures.def',
    'TAMIS_STRUCTURE(BitArray, "bit-array", 15, kUnhashed)',
    'TAMIS_STRUCTURE(BitArray, bit-array, 15)',
    'cpp/include/tamis/structures.def has 1 entries that are not TAMIS_STRUCTURE(Type, "slug", id, kHashing).',
  ],
  [
    'an id of its own',
    'cpp/include/tamis/structures.def',
    'kUnhashed)\n',
    'kUnhashed)\nTAMIS_STRUCTURE(BitArray, "bit-array", 15, kUnhashed)\n',
    'structures.def has the id 15 twice.',
  ],
  [
    'a code in TypeScript',
    'js/src/core/errors.ts',
    " | 'ERR_TAMIS_WRONG_KEY'",
    '',
    'ERR_TAMIS_WRONG_KEY: in cpp/include/tamis/status.def, not in js/src/core/errors.ts.',
  ],
  [
    'a code in the README',
    'README.md',
    '| `ERR_TAMIS_FULL` | full |\n',
    '',
    "ERR_TAMIS_FULL: in cpp/include/tamis/status.def, not in README.md's table of errors.",
  ],
  [
    'a code in C++',
    'js/src/core/errors.ts',
    'export',
    "const more = 'ERR_TAMIS_MORE';\nexport",
    'ERR_TAMIS_MORE: in js/src/core/errors.ts, not in cpp/include/tamis/status.def.',
  ],
  [
    'the order of the codes, which is their number',
    'js/src/core/errors.ts',
    "'ERR_TAMIS_FULL' | 'ERR_TAMIS_WRONG_KEY'",
    "'ERR_TAMIS_WRONG_KEY' | 'ERR_TAMIS_FULL'",
    'js/src/core/errors.ts has the codes in another order than cpp/include/tamis/status.def, first at ERR_TAMIS_FULL.',
  ],
  [
    'the same code in C++ as in its name',
    'cpp/include/tamis/status.def',
    'kFull',
    'kFullUp',
    'cpp/include/tamis/status.def: kFullUp has the code ERR_TAMIS_FULL, not ERR_TAMIS_FULL_UP.',
  ],
];

describe('check-registry', () => {
  let root: string;
  const write = (files: Record<string, string>): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, 'latin1');
    }
  };

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'registry-'));
    write(complete);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('passes where nothing is missing', () => {
    expect(check(root)).toEqual({ status: 0, lines: [] });
  });

  test.each(cases)('misses %s', (_what, path, from, to, sentence) => {
    const text = complete[path] as string;
    expect(text).toContain(from);
    try {
      write({ [path]: text.replace(from, to) });
      const { status, lines } = check(root);
      expect(lines).toContain(sentence);
      expect(status).toBe(1);
    } finally {
      write({ [path]: text });
    }
  });

  test('names each missing piece of a new line once', () => {
    const path = 'cpp/include/tamis/structures.def';
    const text = complete[path] as string;
    try {
      write({ [path]: `${text}TAMIS_STRUCTURE(RibbonFilter, "ribbon", 11, kHashOnce)\n` });
      const { lines } = check(root);
      expect(lines).toHaveLength(10);
      expect(lines.every((line) => line.startsWith('RibbonFilter: '))).toBe(true);
    } finally {
      write({ [path]: text });
    }
  });

  test('fails where there is no registry', () => {
    rmSync(join(root, 'cpp'), { recursive: true });
    expect(check(root).status).toBe(1);
    write(complete);
  });

  test('passes this repository', () => {
    expect(check()).toEqual({ status: 0, lines: [] });
  });
});
