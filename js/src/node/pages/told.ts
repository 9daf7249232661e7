// What the builder of pages tells, in the words of the command line.

import { waitNote } from '../../disk/index.js';
import type { PagesProgress, PublishSteps } from '../../pages/steps.js';
import { CommandError, codeOf, describe, prefixFileError, UsageError } from '../frame/errors.js';
import { type ProgressLine, startProgress } from '../frame/progress.js';
import type { Terminal } from '../frame/terminal.js';

/** The options of buildPages that its errors name, as they are called here. */
const optionOf: Readonly<Record<string, string>> = {
  pages: '--pages',
  sign: '--sign',
  publicKeys: '--old-key HEX',
  lifetimeMs: '--lifetime',
};

/** An error of the builder, for a person; one of the file system is about `folder`, or the file that it names. */
export function toldError(folder: string, error: unknown): unknown {
  const code = codeOf(error) ?? '';
  if (!code.startsWith('ERR_TAMIS_') || code === 'ERR_TAMIS_INTERNAL') {
    return prefixFileError(folder, error);
  }
  const told = describe(error).replace(/`(\w+)`/g, (all, name) => optionOf[name] ?? all);
  return new (told.startsWith('--') ? UsageError : CommandError)(told, { cause: error });
}

/**
 * The steps of a command that holds no lock, and leaves what it wrote. A line shows each, and `stop` takes away the last
 * one. Lists are shown by who reads them.
 */
export function showSteps(terminal: Terminal): PublishSteps & { stop(): void } {
  let line: ProgressLine | undefined;
  let shown = '';
  const stop = () => {
    line?.stop();
    line = undefined;
  };
  const tell = ({ step, done, total, path = '' }: PagesProgress): void => {
    if (step === 'waiting') terminal.note(waitNote(path));
    if (step === 'resuming') terminal.note(`${path}: goes on where an earlier run ended`);
    if (total === undefined) return;
    if (step !== shown) {
      stop();
      line = startProgress(terminal, step, step === 'writing' ? 'bytes' : 'keys', total);
      shown = step;
    }
    line?.update(done);
  };
  return { tell, stop, mustHold() {}, keeps: true };
}
