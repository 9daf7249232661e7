/**
 * The sizes of tests/cpp/long/sizes_test.cpp, which explains tests/vectors/sizes.json. wasm computes the sizes of the
 * native build, for any pair of compilers. The test takes the first thousand inputs of each row, and with TAMIS_LONG=1
 * all of them.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import type { BloomSchemeName } from 'tamis';
import * as tamis from 'tamis';

import { classesOf } from './support/all-classes.mjs';
import { isLong } from './support/budget.js';
import { schemeOption } from './support/schemes.js';

type Options = Record<string, number | undefined>;

interface Row {
  readonly of: string;
  readonly scheme?: BloomSchemeName;
  readonly options: Readonly<Record<string, 'none' | keyof Draw>>;
  readonly inputs: number;
  readonly sha256: string;
  /** The SHA-256 of the first thousand. */
  readonly first: string;
}
const file = readFileSync(new URL('../vectors/sizes.json', import.meta.url), 'utf8');
const { rows } = JSON.parse(file) as { readonly rows: readonly Row[] };

const view = new DataView(new ArrayBuffer(8));
/** wasm has no larger array, and the native build has: there such a size counts as refused. */
const mostBytes = 2 ** 29;

class Draw {
  #state = 0x9e37_79b9;

  #next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }

  #below(n: number): number {
    return this.#next() % n;
  }

  count(): number {
    const edges = [1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
    if (this.#below(16) === 0) return edges[this.#below(4)] as number;
    const left = this.#next() >>> this.#below(32);
    return left * (this.#next() >>> (11 + this.#below(21)));
  }

  positive(): number {
    return Math.max(this.count(), 1);
  }

  rate(): number {
    const exponent = (1022 - this.#below(54)) << 20;
    const isPower = this.#below(4) === 0;
    view.setUint32(0, exponent | (isPower ? 0 : this.#next() >>> 12));
    view.setUint32(4, isPower ? 0 : this.#next());
    return view.getFloat64(0);
  }

  small(): number {
    const wide = this.#below(64);
    return 1 + (wide >>> this.#below(7));
  }
}

function textOf(number: number): string {
  view.setFloat64(0, number, true);
  return Buffer.from(view.buffer).toString('hex');
}

interface SizedClass {
  define(): { readonly readers: object };
  sizeFor(options: unknown): number;
}
const classes = new Map<string, SizedClass>(
  classesOf(tamis).map((Class) => [Class.prototype.type, Class as unknown as SizedClass]),
);

/** Returns the function by which a row turns options into an answer. */
function sizingOf({ of, scheme }: Row): (options: Options) => string {
  if (of === 'bloomRate') return (options) => textOf(tamis.bloomRate(options as never));
  if (of === 'bloomSizing') {
    return (options) => {
      const { bits, hashes, bitsPerKey, fpr } = tamis.bloomSizing(options as never);
      return [bits, hashes, bitsPerKey, fpr].map(textOf).join('');
    };
  }
  const Class = classes.get(of) as SizedClass;
  return (options) => {
    const given = { ...options, ...(scheme && schemeOption(scheme)) };
    const size = Class.sizeFor(of === 'bit-array' ? options.length : given);
    return size > mostBytes ? 'ERR_TAMIS_TOO_LARGE' : textOf(size);
  };
}

function digestOf(row: Row): string {
  const draw = new Draw();
  const digest = createHash('sha256');
  const inputs = isLong ? row.inputs : 1000;
  const sizing = sizingOf(row);
  const kinds = Object.entries(row.options);
  for (let i = 0; i < inputs; i++) {
    const options: Options = {};
    for (const [name, kind] of kinds) {
      if (kind !== 'none') options[name] = draw[kind]();
    }
    try {
      digest.update(`${sizing(options)}\n`);
    } catch (error) {
      digest.update(`${(error as { code: string }).code}\n`);
    }
  }
  return digest.digest('hex');
}

describe('sizes', () => {
  test.each(rows.map((row) => [row.of, JSON.stringify(row.options), row] as const))(
    'of %s, %s, are those of the native build',
    (_of, _options, row) => {
      expect(digestOf(row)).toBe(isLong ? row.sha256 : row.first);
    },
  );

  test.each([...classes])('of %s are drawn with each of its options', (type, Class) => {
    const all = Object.keys(Class.define().readers);
    const own = rows.filter(({ of }) => of === type).map(({ options }) => options);
    for (const options of own) expect(Object.keys(options)).toEqual(all);
    expect(all.filter((name) => own.some((options) => options[name] !== 'none'))).toEqual(all);
  });
});
