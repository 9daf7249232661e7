import { codeOf } from './errors.js';
import { formatCount, printable } from './format.js';

/**
 * Writes to standard output, and waits for it: so a slow reader slows the command down, nothing
 * piles up in memory, and nothing is lost when the process ends.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve();
      // What endQuietlyWhenNobodyReads deals with is no failure of the command.
      else if (!isClosedPipe(error)) reject(error);
    });
  });
}

export const printJson = (value: unknown): Promise<void> => print(`${JSON.stringify(value)}\n`);

/** A line for the person at the keyboard: standard error, so that it never mixes with answers. */
export function complain(message: string): void {
  process.stderr.write(`tamis: ${printable(message)}\n`);
}

/** More would push the message off the screen. */
const MAX_DETAILS = 20;

/** What a message is about, a line each. */
export function complainOf(details: readonly string[]): void {
  const lines = details.slice(0, MAX_DETAILS).map((line) => `  ${printable(line)}\n`);
  const more = details.length - lines.length;
  if (more > 0) lines.push(`  and ${formatCount(more)} more\n`);
  process.stderr.write(lines.join(''));
}

const isClosedPipe = (error: unknown): boolean => codeOf(error) === 'EPIPE';

/**
 * A reader that has seen enough (`tamis check ... | head -1`) closes the pipe: the process ends at
 * once and without a word, with the exit code that is known by then. Other errors of writing (a
 * full disk) reach `print`.
 */
export function endQuietlyWhenNobodyReads(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (isClosedPipe(error)) process.exit();
    });
  }
}
