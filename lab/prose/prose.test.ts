// Tests of the prose lint: it finds a bad sentence in each kind of source, and reports its line.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { runModule } from '../../tests/js/support/child.js';

const script = fileURLToPath(new URL('../../js/scripts/lint-prose.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'prose-'));
afterAll(() => rmSync(root, { recursive: true }));

/** The result of the lint for files: its exit code, and a line for each finding. */
function lint(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const args = [script, '--root', root, ...Object.keys(files)];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, found: stderr.split('\n').filter((line) => /^\S+:\d+: /.test(line)) };
}

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const tooLong = `One ${words(25)}.`;
const message = 'A sentence of 26 words: at most 25';

/** A source of each kind around a sentence, and the line that the sentence begins in. */
const kinds: readonly (readonly [kind: string, path: string, line: number, source: string])[] = [
  ['a paragraph', 'README.md', 3, `# Head\n\n${tooLong}\n`],
  ['a heading', 'docs/a.md', 1, `# ${tooLong}\n`],
  ['a cell', 'docs/a.md', 3, `| a | b |\n| --- | --- |\n| x | ${tooLong} |\n`],
  ['an item', 'docs/a.md', 2, `- short\n- ${tooLong}\n`],
  ['a generated block', 'docs/a.md', 3, `<!-- x:start -->\n\n${tooLong}\n\n<!-- x:end -->\n`],
  ['a comment of a program', 'docs/a.md', 5, `Text.\n\n\`\`\`ts\nf();\n// ${tooLong}\n\`\`\`\n`],
  ['a comment', 'js/src/a.ts', 2, `const a = 1;\n// ${tooLong}\n`],
  [
    'a comment over lines',
    'js/src/a.ts',
    1,
    `// One ${words(9)}\n// ${words(9)}\n// ${words(7)}.\n`,
  ],
  ['a docstring', 'js/src/a.ts', 2, `/**\n * ${tooLong}\n */\nexport const a = 1;\n`],
  ['a tag', 'js/src/a.ts', 3, `/**\n * Short.\n * @returns ${tooLong}\n */\nexport const a = 1;\n`],
  ['a message', 'js/src/a.ts', 1, `throw new Error('${tooLong}');\n`],
  ['a template', 'js/src/a.ts', 1, `throw new Error(\`\${x} ${words(25)}.\`);\n`],
  ['a message in parts', 'js/src/a.ts', 2, `f(\n  'One ${words(9)} ' +\n    '${words(16)}',\n);\n`],
  ['help', 'js/src/node/a.ts', 1, `export const help = \`${tooLong}\`;\n`],
  ['a comment of C++', 'cpp/src/a.cpp', 2, `int a;\n// ${tooLong}\n`],
  ['a banner of C++', 'cpp/include/a.hpp', 2, `// a.hpp - short.\n//   cost       ${tooLong}\n`],
  ['a block of C++', 'bindings/a.cpp', 1, `/* ${tooLong} */ int a;\n`],
  ['a message of C++', 'cpp/include/a.def', 1, `X(kA, "A", "${tooLong}")\n`],
  ['a page', 'web-demo/a.html', 2, `<main>\n<p>${tooLong}</p></main>\n`],
  ['a label', 'web-demo/a.html', 1, `<button aria-label="${tooLong}">x</button>\n`],
];

describe('lint-prose.mjs', () => {
  // Each kind has its own file, and all are in one run.
  const files = kinds.map(([, path], i) => path.replace(/\ba\./, `a${i}.`));
  const all = (change: (source: string) => string) =>
    lint(Object.fromEntries(kinds.map(([, , , source], i) => [files[i], change(source)])));
  const long = all((source) => source);
  const short = all((source) => source.replace('word', ''));

  test.each(kinds.map(([kind, , line], i) => [kind, files[i], line] as const))(
    'finds %s of 26 words, and lets 25 pass',
    (_kind, path, line) => {
      const of = (found: readonly string[]) => found.filter((text) => text.startsWith(`${path}:`));
      expect(of(long.found)).toEqual([`${path}:${line}: ${message}`]);
      expect(of(short.found)).toEqual([]);
    },
  );

  test('fails where there is something to mend, and only there', () => {
    expect([long.status, short.status]).toEqual([1, 0]);
  });

  test('names what to write in the place of a banned word', () => {
    const { found } = lint({
      'docs/b.md': [
        'A stranger passes. You simply ask the filter.',
        'The list is known',
        'whole. In order to see it.',
      ].join('\n'),
    });
    expect(found).toEqual([
      expect.stringMatching(/^docs\/b\.md:1: .*stranger.*use .*false positive or absent key/),
      expect.stringMatching(/^docs\/b\.md:1: .*simply/),
      expect.stringMatching(/^docs\/b\.md:1: .*ask the filter.*use .*look up/),
      expect.stringMatching(/^docs\/b\.md:2: .*known whole.*use .*fixed list/),
      expect.stringMatching(/^docs\/b\.md:3: .*In order to.*use .*to/),
    ]);
  });

  test('no comment and no tag in it begins with a question word', () => {
    const { found } = lint({
      'js/src/e.ts': [
        '/** Whether it is open. */',
        'const a = 1;',
        '/**',
        ' * The place of a key.',
        ' *',
        ' * What it costs: two reads.',
        ' * @param a Where it begins.',
        ' * @returns How many there are.',
        ' */',
        'const b = 2; // What is left.',
        'throw new Error("What the server said is no list");',
      ].join('\n'),
      'docs/e.md': '# What a filter is\n\nWhat is not there cannot be found. How many are there?\n',
    });
    expect(found).toEqual([
      expect.stringMatching(/^js\/src\/e\.ts:1: .* begins with "Whether"/),
      expect.stringMatching(/^js\/src\/e\.ts:7: .* begins with "Where"/),
      expect.stringMatching(/^js\/src\/e\.ts:8: .* begins with "How"/),
      expect.stringMatching(/^js\/src\/e\.ts:10: .* begins with "What"/),
    ]);
  });

  test('conditions begin with "if", codes are whole, and a sentence has a verb', () => {
    const { found } = lint({
      'js/src/f.ts': [
        '// False where there is none. The place where it begins.',
        '// Throws CORRUPT and `TOO_LARGE`, or ERR_TAMIS_FULL. Options.TOO_LARGE is a constant.',
        'const a = 1;',
        '// The size of a key. An error in one direction only. Throws in a closed file.',
      ].join('\n'),
    });
    expect(found).toEqual([
      expect.stringMatching(/^js\/src\/f\.ts:1: .*where there is/),
      expect.stringMatching(/^js\/src\/f\.ts:2: ERR_TAMIS_CORRUPT/),
      expect.stringMatching(/^js\/src\/f\.ts:2: ERR_TAMIS_TOO_LARGE/),
      expect.stringMatching(/^js\/src\/f\.ts:4: A sentence without a verb/),
    ]);
  });

  test('no cell says only that it repeats another', () => {
    const { found } = lint({ 'docs/c.md': '| a | b |\n| --- | --- |\n| x | the same |\n' });
    expect(found).toEqual([expect.stringMatching(/^docs\/c\.md:3: A cell that says "the same"/)]);
  });

  test('code is one word, what is quoted is not judged, and strings that nobody sees are not read', () => {
    const { status, found } = lint({
      'docs/d.md': `\`${words(30)}\` is code. See "A very simple title", 2020.\n`,
      'js/scripts/d.mjs': `run('${words(30)}');\n`,
      'cpp/src/d.cpp': `const char* a = "${words(30)}"; // Short.\n`,
      'js/src/d.ts': `import { a } from './d.js';\nconst b = /\\/\\/ ${words(30)}/;\n`,
    });
    expect({ status, found }).toEqual({ status: 0, found: [] });
  });

  test('reads the documents, the sources and the pages of this repository', async () => {
    const read = [
      ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'cpp/FORMAT.md'],
      ...['docs/benchmarks.md', 'docs/guide/start.md', 'js/src/index.ts', 'js/src/node/main.ts'],
      ...['js/scripts/build.mjs', 'bindings/keys.cpp', 'cpp/include/tamis/status.def'],
      ...['cpp/include/tamis/hash.hpp', 'cpp/src/filters/cuckoo.cpp'],
      ...['web-demo/index.html', 'web-demo/src/main.ts', 'web-demo/serve.mjs'],
      ...['lab/bench/README.md', 'lab/bench/report.mjs', 'js/examples/crawler.mjs'],
      ...['cpp/examples/blocklist.cpp', 'cpp/bench/speed.cpp', 'docs/.vitepress/config.ts'],
    ];
    const skipped = [
      ...['docs/api/index.md', 'THIRD-PARTY-NOTICES.md', 'lab/bench/results/x.json'],
      ...['tests/js/bloom.test.ts', 'docs/node_modules/a/index.js'],
    ];
    const printed = await runModule(`
      import { isLinted } from './lab/prose/sources.mjs';
      console.log(JSON.stringify(${JSON.stringify([...read, ...skipped])}.filter(isLinted)));`);
    expect(JSON.parse(printed)).toEqual(read);
  });
});
