// The one list of all classes: what the entries of the package export. No test, bench or demo writes it down again.

/** @typedef {{ fromBytes(bytes: Uint8Array, options?: object): unknown, readonly prototype: { readonly type: string } }} Loadable */

/**
 * The classes of structures among the exports of an entry: whatever is loaded from bytes.
 *
 * @template {object} Entry
 * @param {Entry} entry
 * @returns {Extract<Entry[keyof Entry], Loadable>[]}
 */
export const classesOf = (entry) =>
  Object.values(entry).filter((one) => typeof Object(one).fromBytes === 'function');
