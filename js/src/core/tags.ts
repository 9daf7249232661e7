// The real type of a value, whatever its properties say.

// The type comes from the tag and not from instanceof, so that arrays of another realm (an iframe, a test's
// context) pass.
export const typedArray = /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype);
export const getterOf = (name: string | symbol) =>
  (Object.getOwnPropertyDescriptor(typedArray, name) as { get: () => never }).get;
const getTag = /* @__PURE__ */ getterOf(Symbol.toStringTag);

/** The name of a typed array's class, such as 'Uint8Array'; undefined for any other value. */
export function tagOf(value: unknown): string | undefined {
  return getTag.call(value);
}

export function isBytes(value: unknown): value is Uint8Array {
  return tagOf(value) === 'Uint8Array';
}
