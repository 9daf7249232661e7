/** Waits for something that happens, never for a length of time. Timers that run out when a test says so. */
import { afterEach, beforeEach, jest } from '@jest/globals';

// It runs while the timers of a test are held, too.
const { setTimeout } = globalThis;

/** The next turn of the event loop. Running work that waits for nothing is done by then. */
export const turn = (): Promise<unknown> =>
  new Promise((resolve) => {
    // What goes on after the end of its test keeps no process.
    setTimeout(resolve).unref();
  });

/** A promise that `open` fulfils. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits until `isSo` is true, for as long as a test may take. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

/**
 * Holds the timers of the tests of this file or block: only `pass` and `hang` move their clock. On a slow machine a time
 * limit of the system's clock could run out before the answer.
 */
export function holdTimers(): void {
  beforeEach(() => {
    jest.useFakeTimers({
      // All but setTimeout and clearTimeout.
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

/** Lets the held timers run for so long, at once. */
export function pass(ms: number): void {
  jest.advanceTimersByTime(ms);
}

/** Never answers, so that each limit of those who wait runs out. None is over a minute. */
export function hang(): Promise<never> {
  pass(60_000);
  return new Promise(() => {});
}
