// The schemes of BloomFilter other than its default: values, so that a bundle holds those that it names.

import { fastHash, keyedHash } from '../../wasm/figures.js';
import type { Part } from '../../wasm/part.js';
import { type BloomSchemeName, hashIds } from '../../wasm/registry.js';
import { coreWith } from '../border/runtime.js';
import { mustBe, typeError } from '../errors.js';
import type { Given, Reader } from '../options.js';

export type { BloomSchemeName } from '../../wasm/registry.js';

/** Throws for options of BloomFilter that do not go with the scheme of this name. */
export type SchemeCheck = (given: Given, what: string, name: string) => void;

/** How a key's positions are made, where that is not the default: a value of `tamis/schemes`. */
export class BloomScheme {
  /** What `filter.scheme` says. */
  readonly name: Exclude<BloomSchemeName, 'mcg'>;
  /** @internal */
  readonly id: number;
  /** @internal */
  readonly part: Part;
  /**
   * What the core may still refuse, for a RangeError.
   *
   * @internal
   */
  readonly refusal: string | undefined;
  readonly #checks: readonly SchemeCheck[];

  /** @internal */
  constructor(
    name: BloomScheme['name'],
    part: Part,
    checks: readonly SchemeCheck[],
    refusal?: string,
  ) {
    this.name = name;
    this.id = hashIds[name];
    this.part = part;
    this.refusal = refusal;
    this.#checks = checks;
    Object.freeze(this);
  }

  /** @internal */
  check(given: Given, what: string): void {
    for (const check of this.#checks) check(given, what, this.name);
  }

  /** @internal */
  static is(value: unknown): value is BloomScheme {
    return Object(value) === value && #checks in (value as object);
  }
}

/** The name of the scheme that has this hash id. */
export function schemeNameOf(id: number): BloomSchemeName {
  if (id === fastHash || id === keyedHash) return 'mcg';
  return Object.entries(hashIds).find(([, hashId]) => hashId === id)?.[0] as BloomSchemeName;
}

/** How a scheme is imported. */
export function importOf(name: string): string {
  const value = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `\`import { ${value} } from 'tamis/schemes'\``;
}

export const bloomScheme: Reader<BloomScheme> = (value, name) => {
  if (BloomScheme.is(value)) return value;
  if (value === 'mcg') throw typeError(`${name} 'mcg' is the default; leave the option out`);
  const isName = typeof value === 'string' && Object.hasOwn(hashIds, value);
  const example = importOf(isName ? value : 'guava64');
  throw mustBe(`a value of tamis/schemes, as of ${example}`, name, value);
};

/** What a class does about files of other schemes than the default. */
export interface SchemeRules {
  /** Of the option `schemes`, those that it can load; without it the option is for other classes. */
  readonly read?: Reader<readonly BloomScheme[]>;
  /** Loads the part of the given scheme that has this hash id, and gives that; 0 where none has it. */
  readonly prepare?: (given: readonly BloomScheme[] | undefined, hashId: number) => number;
  /** Why a file whose checksums are right was refused. */
  readonly explain: (hashId: number) => string;
}

/** The rules of a class that loads every scheme that it is given. */
export const schemeRules: SchemeRules = {
  read: (value, name) => {
    if (!Array.isArray(value)) throw mustBe('an array', name, value);
    return Array.from(value, (one, i) => bloomScheme(one, `${name}[${i}]`));
  },
  prepare(given, hashId) {
    const scheme = given?.find(({ id }) => id === hashId);
    if (scheme === undefined) return 0;
    coreWith(scheme.part);
    return hashId;
  },
  explain(hashId) {
    const name = schemeNameOf(hashId);
    return `the bytes have the scheme '${name}'; pass it in the option schemes: ${importOf(name)}`;
  },
};
