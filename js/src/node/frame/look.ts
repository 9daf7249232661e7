// The width and the colours of a stream.

import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

type Format = 'bold' | 'green' | 'red' | 'yellow';

export interface Look {
  /** The columns of a line. */
  readonly width: number;
  /** The text in a colour, or as it is if the stream has no colours. */
  readonly paint: (format: Format, text: string) => string;
}

const DEFAULT_WIDTH = 80;
/** The narrowest and the widest lines of the help. */
const [LEAST_WIDTH, MOST_WIDTH] = [40, 120];

/** True if the stream is a terminal. */
export const isInteractive = (stream: Readable | Writable): boolean =>
  'isTTY' in stream && stream.isTTY === true;

export function lookOf(stream: Writable): Look {
  const columns = 'columns' in stream ? Number(stream.columns) : 0;
  const width = columns || Number(process.env.COLUMNS) || DEFAULT_WIDTH;
  return {
    width: Math.max(LEAST_WIDTH, Math.min(Math.floor(width), MOST_WIDTH)),
    // Node's rules: a terminal has colours, unless FORCE_COLOR, NO_COLOR or TERM say otherwise.
    paint: (format, text) => styleText(format, text, { stream }),
  };
}
