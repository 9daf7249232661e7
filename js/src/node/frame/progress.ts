import { SingleBar } from 'cli-progress';
import { formatBytes, formatCount, formatPace } from './format.js';
import type { Terminal } from './terminal.js';

/** Shows how far a task has come. */
export interface ProgressLine {
  update(done: number): void;
  /** Takes the line away, so that what is printed next stands alone. */
  stop(): void;
}

export type ProgressUnit = 'bytes' | 'keys';

type Show = (value: number) => string;

/** How so many are shown, and how a rate is. */
const units: Readonly<Record<ProgressUnit, readonly [total: Show, rate: Show]>> = {
  bytes: [formatBytes, formatBytes],
  keys: [(value) => `${formatCount(value)} keys`, formatCount],
};

const silent: ProgressLine = { update() {}, stop() {} };

/**
 * A progress line on standard error, if that is a terminal; else one that prints nothing. Where the
 * `total` is unknown (standard input) there are figures, but no bar.
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
    // The default turns the terminal's own wrapping off, for good if the process is killed.
    linewrap: true,
  });
  bar.start(total ?? 0, 0, figures(0));
  return {
    update: (done) => bar.update(done, figures(done)),
    stop: () => bar.stop(),
  };
}

/** A line that says what is done while nothing tells how far it is; `stop` takes it away. */
export function startState({ stderr, showsProgress }: Terminal, state: string): { stop(): void } {
  if (!showsProgress) return silent;
  stderr.write(state);
  return { stop: () => void stderr.write('\r\u001b[2K') };
}
