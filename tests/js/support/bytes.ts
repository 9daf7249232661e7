import { expect } from '@jest/globals';

/** toEqual() for bytes. If they are equal, it does not visit each byte. */
export function expectSame(bytes: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(bytes, expected) !== 0) expect(bytes).toEqual(expected);
}
