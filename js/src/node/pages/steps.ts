// Turns the page builder's errors and progress into messages of the command line.

import { waitNote } from '../../disk/index.js';
import type { PagesProgress, PublishSteps } from '../../pages/steps.js';
import {
  CommandError,
  codeOf,
  describe,
  isError,
  prefixError,
  UsageError,
} from '../frame/errors.js';
import type { ProgressLine, Terminal } from '../frame/terminal.js';

/** The options that errors of buildPages name, and their names on the command line. */
const optionOf: Readonly<Record<string, string>> = {
  pages: '--pages',
  signingKeys: '--sign',
  publicKeys: '--old-key HEX',
  lifetimeMs: '--lifetime',
};

/** Turns an error of the builder into a CommandError. An error of the file system names its file, or `folder`. */
export function toCommandError(folder: string, error: unknown): unknown {
  const code = codeOf(error) ?? '';
  if (!code.startsWith('ERR_TAMIS_') || code === 'ERR_TAMIS_INTERNAL') {
    if (!isError(error) || !('syscall' in error)) return error;
    return prefixError('path' in error ? String(error.path) : folder, error);
  }
  const message = describe(error).replace(/`(\w+)`/g, (all, name) => optionOf[name] ?? all);
  // A message about an option begins with the option's name.
  return new (message.startsWith('--') ? UsageError : CommandError)(message, { cause: error });
}

/** The steps for a command that has no lock, and keeps its files after a failure. `stop` removes the progress line. */
export function showSteps(terminal: Terminal): PublishSteps & { stop(): void } {
  let line: ProgressLine | undefined;
  let shown = '';
  const stop = () => {
    line?.stop();
    line = undefined;
  };
  const report = ({ step, done, total, path = '' }: PagesProgress): void => {
    if (step === 'waiting') terminal.note(waitNote(path));
    if (step === 'resuming') terminal.note(`${path}: goes on where an earlier run ended`);
    // The step `reading` has no total: the readers of lists show their own progress.
    if (total === undefined) return;
    if (step !== shown) {
      stop();
      line = terminal.startProgress(step, step === 'writing' ? 'bytes' : 'keys', total);
      shown = step;
    }
    line?.update(done);
  };
  return { report, stop, mustHold() {}, keeps: true };
}
