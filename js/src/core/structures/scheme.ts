// The schemes of BloomFilter other than the default. They are values, so that a bundle contains only those it uses.

import { fastHash, keyedHash } from '../../wasm/figures.js';
import type { Part } from '../../wasm/part.js';
import { type BloomSchemeName, hashIds } from '../../wasm/registry.js';
import { coreWith } from '../border/runtime.js';
import { mustBe } from '../errors.js';
import type { Reader } from '../options.js';

export type { BloomSchemeName } from '../../wasm/registry.js';

/** The options of BloomFilter that a scheme checks. */
export interface SchemeOptions {
  readonly bits?: number;
  readonly hashes?: number;
  readonly seed?: bigint | undefined;
}

/** Throws if options of BloomFilter cannot be combined with the named scheme. */
export type SchemeCheck = (options: SchemeOptions, what: string, name: string) => void;

/** A way to derive a key's bit positions, other than the default. Its instances are the values of `tamis/schemes`. */
export class BloomScheme {
  /** The name, as in `filter.scheme`. */
  readonly name: Exclude<BloomSchemeName, 'mcg'>;
  /** @internal */
  readonly id: number;
  /** @internal */
  readonly part: Part;
  /** The text of the RangeError if the core refuses an argument. @internal */
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
  check(options: SchemeOptions, what: string): void {
    for (const check of this.#checks) check(options, what, this.name);
  }

  /** @internal */
  static is(value: unknown): value is BloomScheme {
    return Object(value) === value && #checks in (value as object);
  }
}

/** Returns the name of the scheme with a hash id. */
export function schemeNameOf(id: number): BloomSchemeName {
  if (id === fastHash || id === keyedHash) return 'mcg';
  return Object.entries(hashIds).find(([, hashId]) => hashId === id)?.[0] as BloomSchemeName;
}

/** Returns the import statement of a scheme, for messages. */
export function importOf(name: string): string {
  const value = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `\`import { ${value} } from 'tamis/schemes'\``;
}

export const bloomScheme: Reader<BloomScheme> = (value, name) => {
  if (BloomScheme.is(value)) return value;
  const isName = typeof value === 'string' && Object.hasOwn(hashIds, value);
  const example = importOf(isName ? value : 'guava64');
  throw mustBe(`a value of tamis/schemes, as in ${example}`, name, value);
};

/** The rules of a class that can load files of other schemes than the default, if the caller passes the schemes. */
export const schemeRules = {
  /** Reads the option `schemes`. */
  read(value: unknown, name: string): readonly BloomScheme[] {
    if (!Array.isArray(value)) throw mustBe('an array', name, value);
    return Array.from(value, (one, i) => bloomScheme(one, `${name}[${i}]`));
  },
  /** Finds the passed scheme with a hash id, loads its part, and returns the id; 0 if no passed scheme has the id. */
  prepare(schemes: readonly BloomScheme[] | undefined, hashId: number): number {
    const scheme = schemes?.find(({ id }) => id === hashId);
    if (scheme === undefined) return 0;
    coreWith(scheme.part);
    return hashId;
  },
  /** Explains why a file with valid checksums was refused. */
  explain(hashId: number): string {
    const name = schemeNameOf(hashId);
    return `the bytes have the scheme '${name}'; pass it in the option schemes: ${importOf(name)}`;
  },
};
export type SchemeRules = typeof schemeRules;
