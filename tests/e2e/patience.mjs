// How tests wait: for what must come, never for a length of time.
import { AssertionError } from 'node:assert';
import { setTimeout } from 'node:timers/promises';

/** The longest wait for what must come. It ends what hangs, and nothing that is slow. */
export const PATIENCE_MS = 600_000;

/** Calls `check` until its assertions hold, and returns its result. */
export async function settles(check) {
  for (const end = Date.now() + PATIENCE_MS; ; await setTimeout(20)) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof AssertionError) || Date.now() > end) throw error;
    }
  }
}
