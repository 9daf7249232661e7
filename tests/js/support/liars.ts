/** Typed arrays of subclasses that lie about themselves. */

type Typed = Uint8Array | Uint32Array | BigUint64Array;

const bases: Readonly<Record<string, unknown>> = { Uint8Array, Uint32Array, BigUint64Array };
/** A buffer that does not belong to the array. */
const other = new ArrayBuffer(4096);

/** The same elements, in an array that reports a false `length` and returns other elements. */
export function liarOf<A extends Typed>(array: A, length: number): A {
  // The type of any of these arrays: the code below is the same for all.
  const Honest = bases[Object.prototype.toString.call(array).slice(8, -1)] as typeof Uint8Array;
  const huge = new Honest(100_000);
  class Liar extends Honest {
    static get [Symbol.species](): unknown {
      return () => huge;
    }
  }
  const liar = new Liar(array.length);
  liar.set(array as Uint8Array);
  const lies = {
    length,
    byteLength: length * Honest.BYTES_PER_ELEMENT,
    byteOffset: 8,
    buffer: other,
    constructor: Liar,
    subarray: () => huge,
    slice: () => huge,
    set: () => undefined,
    every: () => true,
    forEach: () => undefined,
    indexOf: () => 1,
    lastIndexOf: () => 1,
    [Symbol.iterator]: () => huge.values(),
    [Symbol.toStringTag]: 'Float64Array',
  };
  for (const name of Reflect.ownKeys(lies)) {
    Object.defineProperty(liar, name, { value: lies[name as keyof typeof lies] });
  }
  return liar as Typed as A;
}
