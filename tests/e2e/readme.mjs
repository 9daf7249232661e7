// The documents' code, made into scripts of a page.
import { readFileSync } from 'node:fs';

/** The document's first block that has `needle` in it. */
export function blockOf(document, needle) {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  const found = blocks.find((code) => code.includes(needle));
  if (!found) throw new Error(`${document} has no block with ${needle}`);
  return found;
}

/**
 * Makes a block the module of a page. It leaves a pair in `outcome` for each `// => value`: the actual value, and
 * the one in the block. If it throws, it leaves the error. A sentence may follow the value, after a full stop.
 */
export function asPage(code) {
  const imports = code.match(/^import .*$/gm).join('\n');
  const claim = /^(\s*)(?:(const|let) (\w+) = )?(.+?);\s*\/\/ => (.+?)(?:\. [A-Z].*)?$/gm;
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

/** The number of values that the block claims. */
export const claims = (code) => code.match(/; *\/\/ => /g).length;
