// embind's JavaScript half, as far as the bindings use it: functions of numbers.
//
// Emscripten's own half does more, and from 4.0.12 on its glue is always asynchronous. The function that the C++
// half calls here has had the same arguments since 2014; new ones came last.

import { readAscii } from './memory.js';

/**
 * The imports of the base of the wasm. Each function that a part publishes (bindings/publish.hpp) becomes a member of
 * `core`. `table` returns the module's table of functions, which exists once the first part is loaded.
 */
export const embind = (
  core: object,
  table: () => WebAssembly.Table,
): WebAssembly.ModuleImports => ({
  _embind_register_function(
    name: number,
    _count: number,
    _types: number,
    _signature: number,
    invoker: number,
    target: number,
  ) {
    // The function is read from the table at the first call, since each read makes an object.
    let call: ((target: number, ...args: number[]) => number) | undefined;
    Object.assign(core, {
      [readAscii(name)]: (...args: number[]) => {
        call ??= table().get(invoker) as NonNullable<typeof call>;
        return call(target, ...args);
      },
    });
  },
});
