import { SingleBar } from 'cli-progress';
import { formatBytes, formatCount, formatPace } from './format.js';
import type { Terminal } from './terminal.js';

/** Shows the progress of a task. */
export interface ProgressLine {
  update(done: number): void;
  /** Removes the line. */
  stop(): void;
}

type ProgressUnit = 'bytes' | 'keys';

type Show = (value: number) => string;

/** Formats of a count, and of a speed. */
const units: Readonly<Record<ProgressUnit, readonly [total: Show, rate: Show]>> = {
  bytes: [formatBytes, formatBytes],
  keys: [(value) => `${formatCount(value)} keys`, formatCount],
};

const silent: ProgressLine = { update() {}, stop() {} };

/**
 * A progress line on standard error, if that is a terminal; otherwise nothing is printed. If the `total` is unknown
 * (standard input), there are figures without a bar.
 */
export function startProgress(
  { stderr, showsProgress }: Terminal,
  label: string,
  unit: ProgressUnit,
  total: number | undefined,
): ProgressLine {
  if (!showsProgress) return silent;
  const [show, showRate] = units[unit];
  const start = performance.now();
  const figures = (done: number) => ({
    shown: show(done),
    size: show(total ?? 0),
    pace: formatPace(showRate, { done, total, ms: performance.now() - start }),
  });
  const bar = new SingleBar({
    stream: stderr,
    format:
      total === undefined
        ? `${label} {shown}{pace}`
        : `${label} [{bar}] {percentage} % of {size}{pace}`,
    // With 100,000,000 keys the line has 79 columns.
    barsize: 16,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    autopadding: true,
    clearOnComplete: true,
    // The default turns off the terminal's line wrapping, which would stay off if the process is killed.
    linewrap: true,
  });
  bar.start(total ?? 0, 0, figures(0));
  return {
    update: (done) => bar.update(done, figures(done)),
    stop: () => bar.stop(),
  };
}

/** A line for a task without progress figures; `stop` removes it. */
export function startState({ stderr, showsProgress }: Terminal, state: string): { stop(): void } {
  if (!showsProgress) return silent;
  stderr.write(state);
  return { stop: () => void stderr.write('\r\u001b[2K') };
}
