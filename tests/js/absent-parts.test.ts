// A core to which some parts have not come: it does not know their types, and does not trap.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { headerBytes } from '../../js/src/core/border/constants.js';
import {
  hashesAddress,
  numberAddress,
  readStatus,
  statusAddress,
  withMemory,
  write,
  writeNumbers,
} from '../../js/src/core/border/memory.js';
import { core, coreWith, init } from '../../js/src/core/border/runtime.js';
import { statusError } from '../../js/src/core/statuses.js';
import { typeIds } from '../../js/src/wasm/registry.js';
import { golden, goldenFolder, urlGolden, urlGoldenFolder } from './support/golden.js';
import { partOf, readPart } from './support/parts.js';

type Type = keyof typeof typeIds;
const types = Object.keys(typeIds) as Type[];

/** The first golden file of a type that needs no key. */
function bytesOf(type: Type): Uint8Array {
  const folder = type.startsWith('url-') ? urlGoldenFolder : goldenFolder;
  const one = [...golden, ...urlGolden].find((one) => one.type === type && one.valid && !one.key);
  return Uint8Array.from(readFileSync(new URL(String(one?.file), folder)));
}

// This comes first: init does nothing once the core runs.
test('init with bytes tells that the engine has no WebAssembly', async () => {
  const { WebAssembly } = globalThis;
  Object.assign(globalThis, { WebAssembly: undefined });
  try {
    const started = init({ bytes: new Uint8Array(8) });
    await expect(started).rejects.toMatchObject({ code: 'ERR_TAMIS_UNSUPPORTED' });
  } finally {
    Object.assign(globalThis, { WebAssembly });
  }
});

describe('a type whose part has not come', () => {
  const unsupported = expect.objectContaining({ code: 'ERR_TAMIS_UNSUPPORTED' });
  const internal = expect.objectContaining({ code: 'ERR_TAMIS_INTERNAL' });
  const unknown = 'ERR_TAMIS_UNKNOWN_TYPE';

  test('has functions that refuse', () => {
    expect(() => core()._tamis_url_parse(0, 0)).toThrow(unsupported);
    expect(() => core().bloomFilterFill(1)).toThrow(/bloomFilterFill/);
    expect(() => core().bloomFilterFill(1)).toThrow(unsupported);
    expect(() => core().create(1, hashesAddress, 0, statusAddress)).toThrow(unsupported);
  });

  test('does not come without what it needs, and leaves the others in order', async () => {
    const ribbon = await readPart('ribbon');
    expect(ribbon.needs).not.toHaveLength(0);
    expect(() => coreWith({ ...ribbon, needs: [] })).toThrow(internal);
    expect(decode('ribbon')).toBe(unknown);
  });

  /** The result of the core for a golden file, with the parts that are there. */
  function decode(type: Type): string {
    const bytes = bytesOf(type);
    const handle = withMemory(bytes.length, (address) => {
      write(address, bytes.length, bytes);
      expect(core().open(address, bytes.length, typeIds[type], 2 ** 28)).toBe(bytes.length);
      const rest = [address + headerBytes, bytes.length - headerBytes] as const;
      return core().decode(...rest, 0, 0, statusAddress);
    });
    if (handle === 0) return statusError(readStatus()).code;
    core().dispose(handle);
    return 'taken';
  }

  /** Returns the answer of each factory to fields that it has not checked. All types refuse these, or all take them. */
  function make(type: Type): string[] {
    const id = typeIds[type];
    writeNumbers(hashesAddress, Array(16).fill(Number.NaN));
    const all = [
      () => core().create(id, hashesAddress, 0, statusAddress),
      () => core().build(id, hashesAddress, 0, 0, 0, 0, 0, numberAddress, statusAddress),
      () => core().sizeFor(id, hashesAddress, 0, statusAddress),
    ];
    return all.map((act) => {
      act();
      return statusError(readStatus()).code;
    });
  }

  test('is UNKNOWN_TYPE, and no trap, until it comes', async () => {
    core();
    const come = new Set<string>();
    for (const part of [undefined, ...new Set(types.map(partOf))]) {
      if (part !== undefined) {
        coreWith(await readPart(part));
        come.add(part);
      }
      for (const type of types) {
        const isThere = come.has(partOf(type));
        expect(`${type}: ${decode(type)}`).toBe(`${type}: ${isThere ? 'taken' : unknown}`);
        // The factories come with the first filter.
        if (!isThere && part !== undefined) expect(make(type)).toEqual(Array(3).fill(unknown));
      }
    }
  });
});
