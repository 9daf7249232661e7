// The class of a typed array. It is found by name and not by instanceof, so that arrays of another realm (an iframe, a
// test's context) pass.

/** The name of a typed array's class, such as 'Uint8Array'; undefined for a value that is no typed array. */
export function tagOf(value: unknown): string | undefined {
  return ArrayBuffer.isView(value) ? (value as Uint8Array)[Symbol.toStringTag] : undefined;
}

export function isBytes(value: unknown): value is Uint8Array {
  return tagOf(value) === 'Uint8Array';
}
