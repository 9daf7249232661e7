// Members of classes that bundles can leave out.

/**
 * Adds a member with a computed name to a class; constructors call this. In a class body the name would be
 * computed at import, and stay in every bundle. Does nothing if the engine lacks the symbol: without
 * Symbol.dispose there is no `using` either.
 */
export function addMember(prototype: object, name: symbol | undefined, value: unknown): void {
  if (name === undefined || Object.hasOwn(prototype, name)) return;
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
}
