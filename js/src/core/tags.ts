// What a value really is, whatever it says of itself.

// Told by tag and not by instanceof, so that arrays of another realm (an iframe, a test's context) pass.
export const typedArray = /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype);
export const getterOf = (name: string | symbol) =>
  (Object.getOwnPropertyDescriptor(typedArray, name) as { get: () => never }).get;
const getTag = /* @__PURE__ */ getterOf(Symbol.toStringTag);

/** 'Uint8Array' and the like; undefined for whatever is no typed array. */
export function tagOf(value: unknown): string | undefined {
  return getTag.call(value);
}

export function isBytes(value: unknown): value is Uint8Array {
  return tagOf(value) === 'Uint8Array';
}
