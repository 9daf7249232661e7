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
    'TAMIS_STRUCTURE(BitArray, "bit-array", 15, kUnhashed)\n' +
    'TAMIS_STRUCTURE(UrlList, "url-list", 32, kHashPrefixes)\n',
  'cpp/include/tamis/status.def':
    'TAMIS_STATUS(kFull, "ERR_TAMIS_FULL", "full")\n' +
    'TAMIS_STATUS(kWrongKey, "ERR_TAMIS_WRONG_KEY", "the key (of another)")\n',
  'cpp/include/tamis/hashes.def': 'TAMIS_HASH(kNone, "none", 0)\n',
  'bindings/border.def': ['FIGURES', 'KEY_OPERATIONS', 'BIT_OPERATIONS', 'SCRATCH_PARTS']
    .map((list) => `#define TAMIS_${list}(X) X(kOne)\n`)
    .concat('#define TAMIS_SCRATCH_LIMITS(X) \\\n  X(kMost)\n')
    .join(''),
  'js/src/any.ts': 'type AnyStructure = BloomFilter | BitArray;\n',
  'tests/js/classes.ts': "import { BitArray, BloomFilter } from 'tamis';\n",
  'cpp/FORMAT.md': '# Format\n## 7.1 bloom (type 1)\n## 7.2 `bit-array`\n## 7.3 url-list\n',
  'js/src/index.ts':
    "export { BitArray, type BitArrayOptions } from './filters/bit-array.js';\n" +
    "export {\n  BloomFilter,\n  type BloomOptions,\n} from './filters/bloom.js';\n",
  'js/src/url/index.ts': "export { UrlList } from './list/url-list.js';\n",
  'tests/vectors/v1/bloom-empty.tamis': golden(1),
  'tests/vectors/v1/bit-array-65.tamis': golden(15),
  'tests/vectors/v1/url/url-list-empty.tamis': golden(32),
  'README.md':
    '# tamis\n## Which filter?\n| need | class |\n|---|---|\n| add | `BloomFilter` |\n' +
    '### Exact\n| index | `BitArray` |\n' +
    '## Errors\n| code | means |\n|---|---|\n| `ERR_TAMIS_FULL` | full |\n' +
    '| `ERR_TAMIS_WRONG_KEY` | key |\n## More\n',
  'CHANGELOG.md': '## 0.1.0\n- `BloomFilter`, `UrlList` and `BitArray`.\n',
};

/** Each case changes one piece: what goes in its place ('' is nothing), and the sentence for it. */
const cases: [what: string, path: string, from: string, to: string, sentence: string][] = [
  ['its loader', 'js/src/any.ts', ' | BitArray', '', 'BitArray: js/src/any.ts does not name it.'],
  [
    'its place under the contract',
    'tests/js/classes.ts',
    'BloomFilter',
    '',
    'BloomFilter: tests/js/classes.ts does not name it.',
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
    'a code in the README',
    'README.md',
    '| `ERR_TAMIS_FULL` | full |\n',
    '',
    "ERR_TAMIS_FULL: not in README.md's table of errors.",
  ],
  [
    'a code in C++',
    'README.md',
    '| `ERR_TAMIS_FULL` | full |\n',
    '| `ERR_TAMIS_FULL` | full |\n| `ERR_TAMIS_MORE` | more |\n',
    "ERR_TAMIS_MORE: in README.md's table of errors, not in status.def.",
  ],
  [
    'the export of a type of url',
    'js/src/url/index.ts',
    'UrlList',
    'UrlLists',
    'UrlList: js/src/url/index.ts does not export it.',
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
      expect(lines).toHaveLength(7);
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
