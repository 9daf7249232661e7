/** Links a small module with Emscripten, cuts it into parts, and loads these. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const scripts = `${root}js/scripts/wasm/`;
const { readLinked } = await import(`${scripts}linked.mjs`);
const { cut } = await import(`${scripts}cut.mjs`);
const { toolchain } = await import(`${root}js/scripts/build.mjs`);

/** Compiles linked.c, and links it with the options of bindings/CMakeLists.txt. */
export function link(...options: string[]): Buffer<ArrayBuffer> {
  const lists = readFileSync(`${root}bindings/CMakeLists.txt`, 'utf8').replace(/#.*/g, '');
  const [, flags = ''] = /set\(TAMIS_LINK\s([^)]*)\)/.exec(lists) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'linked-'));
  const out = join(folder, 'linked.wasm');
  try {
    const args = [...flags.trim().split(/\s+/), ...options, `${root}tests/js/support/linked.c`];
    const stdio = ['ignore', 'inherit', 'pipe'] as const;
    execFileSync('emcc', [...args, '-o', out], { env: toolchain, stdio: [...stdio] });
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Made {
  readonly wasm: Buffer<ArrayBuffer>;
  readonly needs: readonly string[];
}

export const plan = {
  rest: 'filters',
  families: { retrieval: /Retrieval/, weights: /^weights$/ },
};
export const cutBy = (bytes: Buffer, more: object = {}): Map<string, Made> =>
  cut(readLinked(bytes), { ...plan, ...more });

export const types = ['ribbon', 'exact', 'cuckoo'] as const;
export const answers = { ribbon: 507, exact: 528, cuckoo: 21 };

/** Starts the base, and returns a function that loads parts, like js/src/core/border/runtime.ts. */
export function start(modules: Map<string, Made>) {
  type Exports = Record<string, (...numbers: number[]) => number>;
  let all: WebAssembly.ModuleImports = { _embind_register_function: () => 5 };
  const add = (part: string) => {
    const module = new WebAssembly.Module((modules.get(part) as Made).wasm);
    const exports = new WebAssembly.Instance(module, { env: all }).exports as Exports;
    all = { ...all, ...exports };
    exports.load?.();
  };
  const loaded = new Set(['base']);
  const load = (part: string, needs = (modules.get(part) as Made).needs) => {
    if (loaded.has(part)) return;
    for (const needed of needs) load(needed);
    add(part);
    loaded.add(part);
  };
  add('base');
  const call = (what: string, ...numbers: number[]) => (all as Exports)[what]?.(...numbers);
  const nameOf = (type: number) => {
    const { buffer } = all.memory as WebAssembly.Memory;
    const bytes = Buffer.from(buffer, call('_name', type));
    return bytes.toString('latin1', 0, bytes.indexOf(0));
  };
  return { call, load, nameOf };
}
