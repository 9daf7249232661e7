import { expect } from '@jest/globals';

/** toEqual for bytes, which takes no time for each byte where they agree. */
export function expectSame(bytes: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(bytes, expected) !== 0) expect(bytes).toEqual(expected);
}
