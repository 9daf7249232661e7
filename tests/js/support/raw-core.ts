/**
 * The functions of the control plane without checks of their arguments. The core registers them with embind when it
 * starts, so import this module before the core starts.
 */

type Numbers = (...numbers: number[]) => number;

interface Registered {
  readonly name: number;
  readonly invoker: number;
  readonly act: number;
}

const registered: Registered[] = [];
let exported: WebAssembly.Exports | undefined;

const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(
    target,
    [module, imports]: [WebAssembly.Module, Record<string, WebAssembly.ModuleImports>],
  ) {
    const watched = Object.entries(imports).map(([room, functions]) => {
      const own = Object.entries(functions).map(([name, made]) => [name, watch(made)]);
      // The imports of the helper inherit those of the core.
      return [
        room,
        Object.setPrototypeOf(Object.fromEntries(own), Object.getPrototypeOf(functions)),
      ];
    });
    const instance = new target(module, Object.fromEntries(watched));
    // Only the base exports a memory, and it comes first; the parts and the string helper have none.
    if (Object.values(instance.exports).some((made) => made instanceof WebAssembly.Memory)) {
      exported ??= instance.exports;
    }
    return instance;
  },
});

/** Records each registered function. Its import has six parameters, and exports of wasm have numbers as names. */
function watch(made: WebAssembly.ImportValue): WebAssembly.ImportValue {
  if (typeof made !== 'function' || made.length !== 6 || /^\d+$/.test(made.name)) return made;
  return (...told: number[]) => {
    const [name, , , , invoker, act] = told as [number, number, number, number, number, number];
    registered.push({ name, invoker, act });
    return made(...told);
  };
}

function exportOf<T>(Class: abstract new (...args: never[]) => T): T {
  const found = Object.values(exported ?? {}).find((made) => made instanceof Class);
  if (found === undefined) throw new Error(`the core exports no ${Class.name}`);
  return found as T;
}

/** The core's memory. `free` is the start of its last KiB, which the heap has not reached. */
export function rawMemory(): { view: DataView; free: number } {
  const { buffer } = exportOf(WebAssembly.Memory);
  return { view: new DataView(buffer), free: buffer.byteLength - 1024 };
}

/** Grows the memory, as an allocation may do, which makes every view of it unusable. */
export function growMemory(): void {
  exportOf(WebAssembly.Memory).grow(1);
}

function textAt(view: DataView, address: number): string {
  let text = '';
  for (let at = address; view.getUint8(at) !== 0; at++) {
    text += String.fromCharCode(view.getUint8(at));
  }
  return text;
}

/** The function of this name, without embind's conversion of arguments. */
export function rawFunction(wanted: string): Numbers {
  const { view } = rawMemory();
  const found = registered.find(({ name }) => textAt(view, name) === wanted);
  if (found === undefined) throw new Error(`the core has no ${wanted}`);
  const invoke = exportOf(WebAssembly.Table).get(found.invoker) as Numbers;
  return (...numbers) => invoke(found.act, ...numbers);
}
