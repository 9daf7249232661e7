/** Makes the code blocks of the documents runnable. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { transformSync } from '@swc/core';

const root = new URL('../../../', import.meta.url);

export interface Example {
  /** The file and line of the example. */
  readonly place: string;
  readonly code: string;
}

/** Finds the ```ts, ```tsx and ```js blocks in a Markdown text. */
function findFenced(text: string, file: string): Example[] {
  const examples: Example[] = [];
  const block = /^```(?:tsx?|js)\n([\s\S]*?)^```$/gm;
  for (const match of text.matchAll(block)) {
    const line = text.slice(0, match.index).split('\n').length;
    examples.push({ place: `${file}:${line}`, code: match[1] as string });
  }
  return examples;
}

/** README and the pages of docs, by their paths from the root. */
export function pages(): string[] {
  // The flags exclude files that the site installs, and generated API pages.
  const flags = [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    'README.md',
    'docs/*.md',
  ];
  const listed = execFileSync('git', flags, { cwd: fileURLToPath(root), encoding: 'utf8' });
  return listed.trim().split('\n').sort();
}

const blocksOf = (page: string): Example[] =>
  findFenced(readFileSync(new URL(page, root), 'utf8'), page);

/** The file name in the first line of a block that is a file. */
export const fileName = ({ code }: Example): string | undefined =>
  /^\/\/ ([\w-]+\.tsx?)\n/.exec(code)?.[1];

const hasFiles = (page: string): boolean => blocksOf(page).some((block) => fileName(block));

/** The code blocks in README and docs that can run on their own. */
export const pageExamples = (): Example[] =>
  pages()
    .filter((page) => !hasFiles(page))
    .flatMap(blocksOf);

export interface Recipe {
  readonly page: string;
  /** Blocks that are files, which the other blocks import. */
  readonly files: readonly Example[];
  readonly programs: readonly Example[];
}

/** The pages whose blocks belong together. */
export const recipes = (): Recipe[] =>
  pages()
    .filter(hasFiles)
    .map((page) => ({
      page,
      files: blocksOf(page).filter((block) => fileName(block) !== undefined),
      programs: blocksOf(page).filter((block) => fileName(block) === undefined),
    }));

/** The @example of every comment in js/src, without the comment's stars. */
export function docExamples(): Example[] {
  const examples: Example[] = [];
  const files = readdirSync(new URL('js/src/', root), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts')).sort()) {
    const text = readFileSync(new URL(`js/src/${file}`, root), 'utf8');
    for (const comment of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
      const plain = comment[0].replace(/^\/\*\*|\s*\*\/$/g, '').replace(/^[ \t]*\* ?/gm, '');
      const line = text.slice(0, comment.index).split('\n').length;
      for (const part of plain.split(/^@example\b/m).slice(1)) {
        const [found] = findFenced(part, `js/src/${file}`);
        const body = part.split(/^@\w+/m)[0] as string;
        examples.push({ place: `js/src/${file}:${line}`, code: found?.code ?? body });
      }
    }
  }
  return examples;
}

/**
 * Makes an ES module that runs the example and checks the results that it states: `expression; // => value` and `const
 * name = expression; // => value` are compared with assert.deepStrictEqual. After a full stop, a sentence may follow
 * the value. An example without imports imports those of `names` that it mentions.
 */
export function runnable(example: Example, names: readonly string[]): string {
  const claim = /^(\s*)(?:(const|let) (\w+) = )?(.+?);\s*\/\/ => (.+?)(?:\. [A-Z].*)?$/gm;
  const checked = example.code.replace(claim, (_all, indent, kind, name, expression, value) =>
    kind === undefined
      ? `${indent}equal__(${expression}, ${value});`
      : `${indent}${kind} ${name} = ${expression}; equal__(${name}, ${value});`,
  );
  const mentioned = names.filter((name) => new RegExp(`\\b${name}\\b`).test(example.code));
  const imports = /^import /m.test(example.code)
    ? ''
    : `import { ${mentioned.join(', ')} } from 'tamis';\n`;
  const head = "import { deepStrictEqual as equal__ } from 'node:assert';\n";
  return compile(`${head}${imports}${checked}`);
}

/** Turns TypeScript into JavaScript, with JSX for React. */
export function compile(source: string): string {
  const { code } = transformSync(source, {
    jsc: {
      parser: { syntax: 'typescript', tsx: true },
      transform: { react: { runtime: 'automatic' } },
      target: 'es2022',
    },
    module: { type: 'es6' },
    configFile: false,
    swcrc: false,
  });
  return code;
}

/** The number of results that the example states. */
export const claims = (example: Example): number => example.code.match(/; *\/\/ => /g)?.length ?? 0;
