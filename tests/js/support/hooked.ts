/** Runs the command line or another program with kill-at.mjs, which records its steps or kills it at one of them. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cli, env, folder } from './cli.js';

const hook = fileURLToPath(new URL('kill-at.mjs', import.meta.url));

/** Runs the command, or the named program, with kill-at.mjs. Resolves to true if it was killed. */
export function runHooked(
  args: readonly string[],
  hooked: Record<string, string>,
  program = cli,
): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', hook, program, ...args], {
    cwd: folder,
    env: { ...env, ...hooked },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    said += more;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code !== 0 && signal !== 'SIGKILL') reject(new Error(`${code} ${signal}: ${said}`));
      else resolve(signal === 'SIGKILL');
    });
  });
}
