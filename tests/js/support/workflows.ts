/** Finds faults in a GitHub workflow that actionlint does not find. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly container?: string | { readonly image: string };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}
export interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Matches hosts, addresses, and settings that name a registry, but not `${{ }}` or file names. */
const host = /\b\w+:\/\/|registry|\b[\w-]+\.(?:com|org|net|io|dev|cn)\b/i;

export const imageOf = ({ container }: Job): string | undefined =>
  typeof container === 'object' ? container.image : container;

/** Scripts and files that commands name but that are not in the repository. */
function missingIn(commands: string, root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const missing: string[] = [];
  for (const [command, name = ''] of commands.matchAll(/\bnpm (?:run ([\w:-]+)|test\b|start\b)/g)) {
    const script = name || command.replace('npm ', '');
    if (!Object.hasOwn(scripts, script)) missing.push(`npm run ${script}`);
  }
  for (const [, file = ''] of commands.matchAll(/\bnode ([\w./-]+)/g))
    if (!existsSync(join(root, file))) missing.push(file);
  for (const [, file = ''] of commands.matchAll(/(?:^|[\s;&])((?:\.\/)?\.ci\/[\w-]+)/g)) {
    try {
      accessSync(join(root, file), constants.X_OK);
    } catch {
      missing.push(file);
      continue;
    }
    missing.push(...missingIn(readFileSync(join(root, file), 'utf8'), root));
  }
  return missing;
}

/** A command, repeated for each value of the matrix that it uses. */
const commandsOf = (run: string, { strategy }: Job): string =>
  Object.entries(strategy?.matrix ?? {}).reduce((all, [name, values]) => {
    const place = `\${{ matrix.${name} }}`;
    return all.includes(place) ? values.map((value) => all.replace(place, value)).join('\n') : all;
  }, run);

/** The jobs that must have succeeded before a job begins. */
function before(jobs: Workflow['jobs'], name: string): Set<string> {
  const found = new Set<string>();
  const add = (job: string): void => {
    for (const one of [jobs[job]?.needs ?? []].flat()) {
      found.add(one);
      add(one);
    }
  };
  add(name);
  return found;
}

/** The faults of a workflow, as sentences. */
export function problemsOf(text: string, root: string): string[] {
  const { jobs, permissions }: Workflow = parse(text);
  const problems: string[] = [];
  for (const [index, line] of text.split('\n').entries())
    if (host.test(line)) problems.push(`line ${index + 1} names a host`);
  if (JSON.stringify(permissions) !== '{"contents":"read"}')
    problems.push('it may do more than read');
  const uploads = new Map<string, string>();
  for (const [job, { steps }] of Object.entries(jobs))
    for (const { uses, with: given } of steps)
      if (uses?.startsWith('actions/upload-artifact@')) uploads.set(given?.name ?? '', job);
  for (const [name, job] of Object.entries(jobs)) {
    if (job['timeout-minutes'] === undefined) problems.push(`${name} has no end`);
    const image = imageOf(job);
    if (image !== undefined && !/^[\w/-]+:[\w.]+@sha256:[0-9a-f]{64}$/.test(image))
      problems.push(`${image} is no image of a digest`);
    for (const { uses, run = '', with: given } of job.steps) {
      if (uses !== undefined) {
        if (!/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses)) problems.push(`${uses} has no commit`);
        if (!new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+$`, 'm').test(text))
          problems.push(`${uses} does not say its version`);
      }
      problems.push(...missingIn(commandsOf(run, job), root).map((what) => `there is no ${what}`));
      if (uses?.startsWith('actions/download-artifact@')) {
        const from = uploads.get(given?.name ?? '');
        if (from === undefined || !before(jobs, name).has(from))
          problems.push(`${name} downloads ${given?.name}, which no job before it has made`);
      }
    }
  }
  return problems;
}
