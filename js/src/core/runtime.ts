// The one runtime: started on first use, and poisoned by a trap.

import { loadModule } from '#wasm';
import createCore, { type Core } from '../wasm/core.js';
import { TamisError, typeError } from './errors.js';
import { attach, detach } from './memory.js';

/** A function that returns v128: the least that tells whether the engine has SIMD. */
const simdProbe = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
];

let running: Core | undefined;
let fault: TamisError | undefined;

/** Why the engine refused to compile the core. */
function refusal(cause: unknown): TamisError {
  if (typeof WebAssembly !== 'object') {
    return new TamisError('ERR_TAMIS_UNSUPPORTED', 'tamis needs WebAssembly', { cause });
  }
  if (!WebAssembly.validate(Uint8Array.from(simdProbe))) {
    return new TamisError(
      'ERR_TAMIS_UNSUPPORTED',
      'tamis needs WebAssembly SIMD: Chrome 91, Firefox 89, Safari 16.4, Node 20.19, or later',
      { cause },
    );
  }
  return new TamisError('ERR_TAMIS_WASM_BLOCKED', undefined, { cause });
}

function compile(): WebAssembly.Module {
  try {
    return loadModule();
  } catch (cause) {
    throw refusal(cause);
  }
}

function start(module: WebAssembly.Module): Core {
  let memory: WebAssembly.Memory | undefined;
  const core = createCore({
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, imports);
      const values = Object.values(instance.exports);
      memory = values.find((value) => value instanceof WebAssembly.Memory);
      done(instance);
      return instance.exports;
    },
  });
  if (memory === undefined) throw new TamisError('ERR_TAMIS_INTERNAL', 'the core has no memory');
  attach(core, memory);
  return core;
}

/** The core, started where it was not. Throws UNSUPPORTED, WASM_BLOCKED, OUT_OF_MEMORY, INTERNAL. */
export function core(): Core {
  if (running !== undefined) return running;
  if (fault !== undefined) throw fault;
  const module = compile();
  try {
    running = start(module);
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new TamisError('ERR_TAMIS_OUT_OF_MEMORY', undefined, { cause });
    }
    throw cause;
  }
  return running;
}

/**
 * What a call into wasm threw. A trap may have left the memory half written, so that from then on
 * every call fails: a wrong answer is worse than none.
 */
export function trapped(cause: unknown): TamisError {
  fault ??= new TamisError(
    'ERR_TAMIS_INTERNAL',
    'the wasm core stopped; reload the page or worker, and please report it',
    { cause },
  );
  running = undefined;
  detach(fault);
  return fault;
}

/** Calls into wasm, on the control plane. */
export function call<T>(act: (core: Core) => T): T {
  const ready = core();
  try {
    return act(ready);
  } catch (cause) {
    throw trapped(cause);
  }
}

/** Where the core's module may come from instead of the package's own bytes. */
export type InitSource =
  | { readonly module: WebAssembly.Module }
  | { readonly bytes: ArrayBuffer | Uint8Array<ArrayBuffer> }
  | { readonly url: string | URL };

async function compileFrom(source: InitSource): Promise<WebAssembly.Module> {
  if (Object.hasOwn(source, 'module')) return (source as { module: WebAssembly.Module }).module;
  if (Object.hasOwn(source, 'bytes')) {
    return WebAssembly.compile((source as { bytes: ArrayBuffer }).bytes);
  }
  if (Object.hasOwn(source, 'url')) {
    return WebAssembly.compileStreaming(fetch((source as { url: string | URL }).url));
  }
  throw typeError('init: expected { module }, { bytes } or { url }');
}

/**
 * Starts the core ahead of its first use. Never needed: everything works without it, and a core that
 * runs is left alone. `source` is the package's own `tamis/core.wasm` where the page would rather
 * fetch it, or a module that another thread compiled.
 *
 * @example
 * import { init } from 'tamis';
 * await init();
 */
export async function init(source?: InitSource): Promise<void> {
  if (source === undefined) {
    core();
    return;
  }
  if (typeof source !== 'object' || source === null) {
    throw typeError('init: expected { module }, { bytes } or { url }');
  }
  if (running !== undefined) return;
  if (fault !== undefined) throw fault;
  let module: WebAssembly.Module;
  try {
    module = await compileFrom(source);
  } catch (cause) {
    if (cause instanceof TypeError && 'code' in cause) throw cause;
    throw refusal(cause);
  }
  running ??= start(module);
}
