// README's code, made into scripts of a page.
import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);

/** README's first block that imports from `entry` and has `needle` in it. */
export function readmeBlock(entry, needle = '') {
  const isIt = (code) => code.includes(`from '${entry}'`) && code.includes(needle);
  const found = blocks.find(isIt);
  if (!found) throw new Error(`README has no block of ${entry} with ${needle}`);
  return found;
}

/**
 * A block as the module of a page, which leaves in `outcome` a pair for each `// => value`: what it was,
 * and what README says; or the error that it threw.
 */
export function asPage(code) {
  const imports = code.match(/^import .*$/gm).join('\n');
  const claim = /^(\s*)(?:(const|let) (\w+) = )?(.+?);\s*\/\/ => (.+)$/gm;
  const body = code
    .replace(/^import .*$/gm, '')
    .replace(claim, (_all, indent, kind, name, expression, value) =>
      kind === undefined
        ? `${indent}pairs.push([${expression}, ${value}]);`
        : `${indent}${kind} ${name} = ${expression}; pairs.push([${name}, ${value}]);`,
    );
  return `${imports}
const pairs = [];
try {
  ${body}
  globalThis.outcome = pairs;
} catch ({ code, message }) {
  globalThis.outcome = { code, message };
}`;
}

/** How many values the block claims. */
export const claims = (code) => code.match(/; *\/\/ => /g).length;
