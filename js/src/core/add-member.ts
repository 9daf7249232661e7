// Members of classes that bundles can leave out.

/**
 * Gives a class a member whose name is computed, for constructors to call. In a class body that name would be
 * computed at import, and stay in every bundle. Not where the engine lacks the symbol: without Symbol.dispose there
 * is no `using` either.
 */
export function addMember(prototype: object, name: symbol | undefined, value: unknown): void {
  if (name === undefined || Object.hasOwn(prototype, name)) return;
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
}
