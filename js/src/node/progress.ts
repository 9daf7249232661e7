import { SingleBar } from 'cli-progress';
import { formatBytes, formatCount } from './format.js';
import { isInteractive, type Terminal } from './terminal.js';

/** Shows how far a task has come. */
export interface ProgressLine {
  update(done: number): void;
  /** Takes the line away, so that what is printed next stands alone. */
  stop(): void;
}

export type ProgressUnit = 'bytes' | 'keys';

const units: Readonly<Record<ProgressUnit, (value: number) => string>> = {
  bytes: formatBytes,
  keys: (value) => `${formatCount(value)} keys`,
};

const silent: ProgressLine = { update() {}, stop() {} };

/**
 * A progress line on standard error, if that is a terminal; else one that prints nothing. Where the
 * `total` is unknown (standard input) there is a figure, but no bar.
 */
export function startProgress(
  { stderr }: Terminal,
  label: string,
  unit: ProgressUnit,
  total: number | undefined,
): ProgressLine {
  if (!isInteractive(stderr)) return silent;
  const show = units[unit];
  const bar = new SingleBar({
    stream: stderr,
    format: total === undefined ? `${label} {shown}` : `${label} [{bar}] {percentage} % of {size}`,
    barsize: 30,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    autopadding: true,
    clearOnComplete: true,
    // The default turns the terminal's own wrapping off, for good if the process is killed.
    linewrap: true,
  });
  bar.start(total ?? 0, 0, { shown: show(0), size: show(total ?? 0) });
  return {
    update: (done) => bar.update(done, { shown: show(done) }),
    stop: () => bar.stop(),
  };
}
