import { SingleBar } from 'cli-progress';
import { formatBytes, formatCount } from './format.js';
import type { Terminal } from './terminal.js';

/** Shows the progress of a task. */
export interface ProgressLine {
  update(done: number): void;
  /** Removes the line. */
  stop(): void;
}

/** Formats of a count, and of a speed. */
const units = {
  bytes: [formatBytes, formatBytes],
  keys: [(value: number) => `${formatCount(value)} keys`, formatCount],
} as const;

/** The time in milliseconds before which a speed is not reliable. */
const PACE_AFTER_MS = 500;

const formatLeft = (seconds: number): string => {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  return seconds < 5940 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
};

const silent: ProgressLine = { update() {}, stop() {} };

/**
 * A progress line on standard error, if that is a terminal; otherwise nothing is printed. If the `total` is unknown
 * (standard input), there are figures without a bar.
 */
export function startProgress(
  { stderr, showsProgress }: Terminal,
  label: string,
  unit: keyof typeof units,
  total: number | undefined,
): ProgressLine {
  if (!showsProgress) return silent;
  const [show, showRate] = units[unit];
  const start = performance.now();
  /** The speed, and the time left: `, 8.1 MB/s, 3 s left`. */
  const paceOf = (done: number): string => {
    const ms = performance.now() - start;
    if (ms < PACE_AFTER_MS || done === 0) return '';
    const perSecond = (1000 * done) / ms;
    const left = total && total > done ? `, ${formatLeft((total - done) / perSecond)} left` : '';
    return `, ${showRate(Math.round(perSecond))}/s${left}`;
  };
  const figures = (done: number) => ({
    shown: show(done),
    size: show(total ?? 0),
    pace: paceOf(done),
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
