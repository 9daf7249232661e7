/** Lists the names of the members of objects and classes. */

/** The names of all members of an instance, its own and inherited, except those of Object. */
export function members(instance: object): string[] {
  const names = new Set<string>();
  for (
    let from = instance;
    from !== Object.prototype;
    from = Object.getPrototypeOf(from) as object
  ) {
    for (const name of Reflect.ownKeys(from)) names.add(String(name));
  }
  return [...names].sort();
}

/** The static methods of a class, its own and inherited. `define` is internal, so it is left out. */
export function statics(Class: object): string[] {
  const names = new Set<string>();
  for (let from = Class; from !== Function.prototype; from = Object.getPrototypeOf(from)) {
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
  }
  for (const name of ['length', 'name', 'prototype', 'define']) names.delete(name);
  return [...names].sort();
}
