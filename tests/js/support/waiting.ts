/** Waits for events, never for a length of time, and lets tests control timers. */
import { afterEach, beforeEach, jest } from '@jest/globals';

// The real one, which runs even while a test controls the timers.
const { setTimeout } = globalThis;

/** Waits for a turn of the event loop. Work that waits for nothing else is done after it. */
export const turn = (): Promise<unknown> =>
  new Promise((resolve) => {
    // A timer that is left after the end of a test must not keep the process alive.
    setTimeout(resolve).unref();
  });

/** A promise, and a function that fulfils it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits until `isSo` is true, as long as the test's own limit allows. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

/**
 * Lets the tests of this file or block control their timers: only `pass` and `hang` advance them. On a slow machine, a
 * real time limit could expire before the answer comes.
 */
export function holdTimers(): void {
  beforeEach(() => {
    jest.useFakeTimers({
      // All fakes except setTimeout and clearTimeout are off.
      doNotFake: [
        ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
        ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
      ],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}

/** Advances the controlled timers by this time, at once. */
export function pass(ms: number): void {
  jest.advanceTimersByTime(ms);
}

/** Never answers, so that every time limit of the callers expires. All limits are below a minute. */
export function hang(): Promise<never> {
  pass(60_000);
  return new Promise(() => {});
}
