import { expect } from '@jest/globals';

/** toEqual for bytes. It spends no time on each byte if they agree. */
export function expectSame(bytes: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(bytes, expected) !== 0) expect(bytes).toEqual(expected);
}
