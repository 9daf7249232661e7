// Runs the wasm core. There is one, which starts on first use, loads parts when they are needed, and ends after a trap.

import type { Core } from '../../wasm/core.js';
// The build replaces inline.js with another module for some conditions of package.json.
import { compile, moduleOf } from '../../wasm/inline.js';
import type { Part } from '../../wasm/part.js';
import { base } from '../../wasm/parts/base.js';
import { classNameOf, TamisError, typeError } from '../errors.js';
import { isBytes } from '../key-types.js';
import { expectThat, type Reader, readOptions, stringOrUrl } from '../options.js';
import { errorOf } from '../statuses.js';
import { attach, attachHelper, attachRaw, detach, readAscii } from './memory.js';

let running: Core | undefined;
let fault: TamisError | undefined;

/** What a part can import: the JavaScript half of embind, and the exports of the base and of all loaded parts. */
let partImports: WebAssembly.ModuleImports;
const loaded = new Set<Part>();
/** True if a caller of `init` passed the module, which contains every part. */
let isWhole = false;

/** A module with one function that returns v128: the smallest test for SIMD. */
const simdProbe = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
];

/** Advice for runtimes without pages. No header can allow compilation there: they accept only static imports. */
const noCompileAdvice =
  'bundle for `workerd` or `edge-light`, or import `tamis/core.wasm` and `await init({ module })`';

/** The error for an engine that refused to compile or to instantiate the core. */
function explainRefusal(cause: unknown): TamisError {
  let why: string;
  if (typeof WebAssembly !== 'object') {
    why = 'no WebAssembly here (Lockdown Mode, Tor Browser, React Native): use tamis/read';
  } else if (!WebAssembly.validate(Uint8Array.from(simdProbe))) {
    why = 'tamis needs WebAssembly SIMD: Chrome 91, Firefox 89, Safari 16.4, Node 20.19, or later';
  } else if (cause instanceof RangeError) {
    // Before Chrome 114 a page could compile synchronously only 4 kB outside a worker.
    why = 'this engine compiles tamis only in workers';
  } else {
    // A page gets the default message of the code, which names the header to send.
    const advice = typeof location === 'undefined' ? noCompileAdvice : undefined;
    return errorOf('ERR_TAMIS_WASM_BLOCKED', advice, { cause });
  }
  return new TamisError('ERR_TAMIS_UNSUPPORTED', why, { cause });
}

/** The error for a compiled module that did not become an instance. */
function explainFailure(cause: unknown): TamisError {
  if (cause instanceof RangeError) return errorOf('ERR_TAMIS_OUT_OF_MEMORY', undefined, { cause });
  // If the policy forbids WebAssembly, WebKit still compiles modules, but refuses to instantiate them.
  if (cause instanceof WebAssembly.CompileError) return explainRefusal(cause);
  const message = 'the .wasm file is from another release of tamis';
  return new TamisError('ERR_TAMIS_INTERNAL', message, { cause });
}

/** Returns the module of a part. Throws ERR_TAMIS_UNSUPPORTED and ERR_TAMIS_WASM_BLOCKED. */
function compiled(part: Part): WebAssembly.Module {
  try {
    return moduleOf(part);
  } catch (cause) {
    throw explainRefusal(cause);
  }
}

type Caller = (callee: number, ...args: number[]) => number;

/**
 * The JavaScript half of embind, reduced to what the bindings use: functions of numbers. Each function that a part
 * publishes (bindings/publish.hpp) becomes a member of `core`. Emscripten's own half is larger, and from 4.0.12 on its
 * glue is always asynchronous. The arguments below have been the same since 2014; new ones are appended. `caller` and
 * `callee` are indices in the module's table. embind has one caller for each signature, whose first argument is the
 * function to call.
 */
const embind = (core: object): WebAssembly.ModuleImports => ({
  _embind_register_function(
    name: number,
    _count: number,
    _types: number,
    _signature: number,
    caller: number,
    callee: number,
  ) {
    // Each read of the table makes an object, so the function is read once, at the first call.
    let call: Caller | undefined;
    Object.assign(core, {
      [readAscii(name)]: (...args: number[]) => {
        call ??= (partImports.__indirect_function_table as WebAssembly.Table).get(caller) as Caller;
        return call(callee, ...args);
      },
    });
  },
});

/** Makes the core throw for functions in no loaded part. A method called on an object of another class can need one. */
function refuseAbsent(core: Core): void {
  const absent = new Proxy(Object.prototype, {
    get(prototype, name) {
      if (name in prototype) return Reflect.get(prototype, name);
      return () => {
        throw errorOf('ERR_TAMIS_UNSUPPORTED', `this structure has no ${String(name)}`);
      };
    },
  });
  Object.setPrototypeOf(core, absent);
}

/** Instantiates a module, adds its raw functions to the core, and returns its exports, which later parts can import. */
function instantiate(core: Core, module: WebAssembly.Module): WebAssembly.Exports {
  let exports: WebAssembly.Exports;
  try {
    ({ exports } = new WebAssembly.Instance(module, { env: partImports }));
  } catch (cause) {
    throw explainFailure(cause);
  }
  partImports = { ...partImports, ...exports };
  for (const name in exports) {
    if (name.startsWith('_')) Object.assign(core, { [name]: exports[name] });
  }
  return exports;
}

/** Lets a module register its types, schemes and functions. */
function register(exports: { readonly load?: () => void }): void {
  exports.load?.();
}

/** Starts a core from a module. The memory is attached before `load`, because the published names are in it. */
function start(module: WebAssembly.Module): Core {
  const core = {} as Core;
  partImports = embind(core);
  const exports = instantiate(core, module);
  // The caller of `init` may have passed a wrong module.
  if (!('load' in exports)) throw explainFailure(new TypeError('no export `load`'));
  refuseAbsent(core);
  attach(core, exports.memory as WebAssembly.Memory);
  register(exports);
  if ('_tamis_has' in exports) attachHelper(core);
  return core;
}

/**
 * Returns the core; the first call starts it. Throws ERR_TAMIS_UNSUPPORTED, ERR_TAMIS_WASM_BLOCKED,
 * ERR_TAMIS_OUT_OF_MEMORY and ERR_TAMIS_INTERNAL.
 */
export function core(): Core {
  if (running !== undefined) return running;
  if (fault !== undefined) throw fault;
  running = start(compiled(base));
  return running;
}

/** Returns the core after loading a part, if that is not loaded yet. Throws the errors of core(). */
export function coreWith(part: Part): Core {
  const ready = core();
  if (part === base || isWhole || loaded.has(part)) return ready;
  for (const needed of part.needs) coreWith(needed);
  const exports = instantiate(ready, compiled(part));
  register(exports);
  attachRaw(ready);
  // The first helper can only write strings. The helper for the part with `_tamis_has` looks up keys too.
  const isFirst = loaded.size === 0;
  if (isFirst || '_tamis_has' in exports) attachHelper(ready);
  loaded.add(part);
  return ready;
}

/**
 * Ends the runtime after a trap, and returns the error to throw. A trap may have left the memory half written, so from
 * then on every call fails, because a wrong answer is worse than none.
 */
export function poison(cause: unknown): TamisError {
  const message = 'the wasm stopped; reload, and report it';
  fault ??= new TamisError('ERR_TAMIS_INTERNAL', message, { cause });
  running = undefined;
  detach(fault);
  return fault;
}

/** Runs a call into wasm, loads `part` before it, and turns a trap into an error. Hot calls do not use it. */
export function call<T>(act: (core: Core) => T, part: Part = base): T {
  const ready = coreWith(part);
  try {
    return act(ready);
  } catch (cause) {
    // A TamisError is no trap: `act`, or a function of an absent part, threw it.
    throw cause instanceof TamisError ? cause : poison(cause);
  }
}

/** The type of WebAssembly.Module. Without the DOM's types, which declare that class, it is any object. */
type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } }
  ? M
  : object;

/** The source of the core's module for `init`, instead of the package's own bytes. */
export type InitSource =
  | { readonly module: WasmModule }
  | { readonly bytes: ArrayBuffer | Uint8Array<ArrayBuffer> }
  | { readonly url: string | URL };

const moduleReader: Reader<WebAssembly.Module> = (value, name) =>
  expectThat(classNameOf(value) === 'WebAssembly.Module', 'a WebAssembly.Module', value, name);
const bytesReader: Reader<BufferSource> = (value, name) => {
  const isRight = isBytes(value) || classNameOf(value) === 'ArrayBuffer';
  return expectThat(isRight, 'an ArrayBuffer or a Uint8Array', value, name);
};

async function loadModuleFrom(source: InitSource): Promise<WebAssembly.Module> {
  const readers = { module: moduleReader, bytes: bytesReader, url: stringOrUrl };
  const options = readOptions(source, readers, 'init');
  const { module, url } = options;
  let { bytes } = options;
  if (module !== undefined) return module;
  if (url !== undefined) {
    const response = await fetch(url);
    if (!response.ok) throw typeError(`init: ${url} answered with status ${response.status}`);
    bytes = await response.arrayBuffer();
  }
  if (bytes === undefined) throw typeError('init: expected { module }, { bytes } or { url }');
  let isWasm = false;
  try {
    isWasm = WebAssembly.validate(bytes);
    return await compile(bytes);
  } catch (cause) {
    const refusal = explainRefusal(cause);
    // An engine that lacks WebAssembly or SIMD cannot tell whether the bytes are right.
    if (isWasm || refusal.code === 'ERR_TAMIS_UNSUPPORTED') throw refusal;
    throw typeError('init: the bytes are no WebAssembly module');
  }
}

/**
 * Starts the core before its first use. A call is never necessary, and does nothing if the core runs already. `source`
 * is the package's `tamis/core.wasm`, as a URL or as bytes, or a module that another thread compiled.
 *
 * @example
 * import { init } from 'tamis';
 * await init();
 */
export async function init(source?: InitSource): Promise<void> {
  const hasNeverRun = () => running === undefined && fault === undefined;
  if (source !== undefined && hasNeverRun()) {
    const module = await loadModuleFrom(source);
    // Meanwhile another call may have started the core, and a trap may have ended it.
    if (hasNeverRun()) {
      running = start(module);
      isWhole = true;
    }
  }
  core();
}
