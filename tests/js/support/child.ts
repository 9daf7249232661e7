import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Runs ESM source in its own Node process, in a folder of the repository so that `tamis` resolves by name. Resolves to
 * the output. If the process fails, rejects with its standard error.
 */
export function runModule(
  source: string,
  flags: readonly string[] = [],
  timeout = 500_000,
  folder = '',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, '--input-type=module', '-'], {
      cwd: root + folder,
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout,
    });
    let out = '';
    let problems = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      problems += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve(out);
      else reject(new Error(`the process ended with ${status}:\n${problems}\n${out}`));
    });
    child.stdin.end(source);
  });
}
