// The only list of all classes, made from the exports of the package's entry points. No test, bench or demo repeats it.

/** @typedef {{ fromBytes(bytes: Uint8Array, options?: object): unknown, readonly prototype: { readonly type: string } }} Loadable */

/**
 * The classes of structures that an entry point exports: those that can be loaded from bytes.
 *
 * @template {object} Entry
 * @param {Entry} entry
 * @returns {Extract<Entry[keyof Entry], Loadable>[]}
 */
export const classesOf = (entry) =>
  Object.values(entry).filter((one) => typeof Object(one).fromBytes === 'function');
