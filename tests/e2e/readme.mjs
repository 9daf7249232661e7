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
 * A block as the module of a page, which leaves in `outcome` a pair for each `// => value`: what it was,
 * and what the block says; or the error that it threw. A sentence may follow the value, after a full stop.
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
