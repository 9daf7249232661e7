// Functions that all scripts share: the repository's root, whether a script was started directly, and running programs.

import { spawn } from 'node:child_process';
import { closeSync, openSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository's root, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** True for the script that Node was started with. */
export const isProgram = ({ url }) =>
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);

/** The default for `write`: prints to the terminal. */
export const show = (text) => process.stdout.write(text);

/**
 * Runs a program in the root, with the file `input`; `write` gets its output. Rejects with a sentence or an AbortError.
 */
export function run(command, args, { write = show, env = process.env, signal, input } = {}) {
  return new Promise((resolve, reject) => {
    write(`$ ${[command, ...args].join(' ').replaceAll(root, '')}\n`);
    const read = input === undefined ? 'ignore' : openSync(input);
    const child = spawn(command, args, { cwd: root, env, signal, stdio: [read, 'pipe', 'pipe'] });
    if (input !== undefined) closeSync(read);
    child.stdout.on('data', write);
    child.stderr.on('data', write);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args[0] ?? ''} ended with ${signal ?? code}`));
    });
  });
}
