// The packed tarball, and throw-away projects that install it as a user would.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { makePacked } from './pack.mjs';

export { environment, output, root, run } from './pack.mjs';

const consumers = fileURLToPath(new URL('./consumers/', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'tamis-package-'));
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));

/** `{ tarball, files, leftBehind, installed }`: made once for a run, or for a file that runs alone. */
export const packed =
  process.env.TAMIS_PACKED === undefined
    ? makePacked(temporary)
    : JSON.parse(readFileSync(join(process.env.TAMIS_PACKED, 'packed.json'), 'utf8'));

/** A new project with the tarball installed, and the consumers beside it. */
export function project(name, type = 'module') {
  const folder = join(temporary, name);
  mkdirSync(folder);
  cpSync(consumers, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type }));
  const own = join(folder, 'node_modules');
  cpSync(packed.installed, own, { recursive: true, verbatimSymlinks: true });
  return folder;
}

const webGlobals = {
  AbortController,
  AbortSignal,
  ReadableStream,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  location: { href: 'https://page.example/' },
  performance,
  queueMicrotask,
  setTimeout,
};

/**
 * Runs a script with the globals of a web page and none of Node, under a policy without 'unsafe-eval'.
 * `wasm: false` also forbids the compilation of WebAssembly. Returns the script's `answer` and `failure`, or a
 * promise of them if the script leaves one in `done`.
 */
export function runInPage(code, { wasm = true, globals = {} } = {}) {
  const page = vm.createContext(
    { ...webGlobals, ...globals },
    { codeGeneration: { strings: false, wasm } },
  );
  vm.runInContext('globalThis.self = globalThis.window = globalThis', page);
  vm.runInContext(code, page);
  const left = 'JSON.stringify({ answer: self.answer, failure: self.failure })';
  const found = () => JSON.parse(vm.runInContext(left, page));
  return page.done === undefined ? found() : page.done.then(found);
}
