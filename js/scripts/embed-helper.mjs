// Writes js/src/wasm/string-helper.ts: the wasm of string-helper.wat as text.

import { readFileSync, writeFileSync } from 'node:fs';
import { compile } from 'watr';

/** Compiles a wasm text and writes its bytes as a module; hex of so few bytes is smallest once gzipped. */
export function embedHelper(textPath, modulePath) {
  const bytes = Buffer.from(compile(readFileSync(textPath, 'utf8')));
  writeFileSync(
    modulePath,
    `// Made by js/scripts/embed-helper.mjs.\nexport const helperHex = '${bytes.toString('hex')}';\n`,
  );
}
