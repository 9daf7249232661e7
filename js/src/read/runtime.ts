// The readers' runtime, which the build puts in the place of core/border/runtime.ts for tamis/read: a wasm of raw
// exports that asks and builds nothing. All structures of one page live in its one memory, since engines bear few
// memories. A process of Chromium 156 had 125 at once and one of Firefox 153 had 999, whatever their maximum.

import { attach, detach } from '../core/border/memory.js';
import { compiled, errorOfTrap, failureOf } from '../core/border/refusal.js';
import type * as whole from '../core/border/runtime.js';
import { TamisError } from '../core/errors.js';
import type { Core } from '../wasm/core.js';
import type { Part } from '../wasm/part.js';
import { base } from '../wasm/readers/base.js';

let running: Core | undefined;
let fault: TamisError | undefined;
/** What parts import and bring. It is what the core inherits from: what comes later is there too. */
const all: WebAssembly.ModuleImports = {};
const loaded = /* @__PURE__ */ new Set<Part>();

/** Instantiates a part. Throws what core() throws. */
function add(part: Part): void {
  const module = compiled(part);
  try {
    Object.assign(all, { load: undefined }, new WebAssembly.Instance(module, { env: all }).exports);
  } catch (cause) {
    throw failureOf(cause);
  }
  (all.load as (() => void) | undefined)?.();
  loaded.add(part);
}

export const core: typeof whole.core = () => {
  if (fault !== undefined) throw fault;
  if (running === undefined) {
    add(base);
    // The helper of strings (reader.ts) wants what adds as well, and nobody calls it.
    const own = { __proto__: all, ...all, _tamis_add: all._tamis_has };
    running = own as unknown as Core;
    attach(running, all.memory as unknown as WebAssembly.Memory);
  }
  return running;
};

export const coreWith: typeof whole.coreWith = (part) => {
  const ready = core();
  if (!loaded.has(part)) {
    for (const needed of part.needs) coreWith(needed);
    add(part);
  }
  return ready;
};

export const poison: typeof whole.poison = (cause) => {
  fault ??= errorOfTrap(cause);
  running = undefined;
  detach(fault);
  return fault;
};

export const call: typeof whole.call = (act, part = base) => {
  const ready = coreWith(part);
  try {
    return act(ready);
  } catch (cause) {
    throw cause instanceof TamisError ? cause : poison(cause);
  }
};
