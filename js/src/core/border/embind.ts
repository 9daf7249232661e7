// embind's JavaScript half, of what the bindings use of it: functions that take and give numbers.
//
// Emscripten's own half does more, and from 4.0.12 on its glue starts no module at once. What the C++ half calls here
// has had the same arguments since 2014, and new ones came last.

import { readName } from './memory.js';

/**
 * What the base of the wasm imports. Whatever parts publish (bindings/publish.hpp) becomes a member of `core`. `table`
 * gives the module's table of functions, which is there when the first part is loaded.
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
    made: number,
  ) {
    // From the table at the first call: an engine makes an object of each function that is taken out of it.
    let call: ((made: number, ...given: number[]) => number) | undefined;
    Object.assign(core, {
      [readName(name)]: (...given: number[]) => {
        call ??= table().get(invoker) as NonNullable<typeof call>;
        return call(made, ...given);
      },
    });
  },
});
