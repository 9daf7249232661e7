/**
 * The control plane's own functions, which take any numbers. The core registers them with embind when it
 * starts. Import this module before anything starts the core.
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
      // The helper's imports inherit those of the core.
      return [
        room,
        Object.setPrototypeOf(Object.fromEntries(own), Object.getPrototypeOf(functions)),
      ];
    });
    const instance = new target(module, Object.fromEntries(watched));
    // The base comes first and has the memory; the parts and the string helper have none of their own.
    if (Object.values(instance.exports).some((made) => made instanceof WebAssembly.Memory)) {
      exported ??= instance.exports;
    }
    return instance;
  },
});

/** Records each registered function: embind's import for that has six parameters, and wasm's exports have numbers. */
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

/** The core's memory; the heap has not come as far as `free`, the start of its last KiB. */
export function rawMemory(): { view: DataView; free: number } {
  const { buffer } = exportOf(WebAssembly.Memory);
  return { view: new DataView(buffer), free: buffer.byteLength - 1024 };
}

/** Grows the memory as an allocation may: every view of it is dead. */
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

/** The function of this name, without what embind does to its arguments. */
export function rawFunction(wanted: string): Numbers {
  const { view } = rawMemory();
  const found = registered.find(({ name }) => textAt(view, name) === wanted);
  if (found === undefined) throw new Error(`the core has no ${wanted}`);
  const invoke = exportOf(WebAssembly.Table).get(found.invoker) as Numbers;
  return (...numbers) => invoke(found.act, ...numbers);
}
