// The width and the colours of a stream.

import type { Readable, Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
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
  const { columns = 0 } = stream as Partial<WriteStream>;
  const width = columns || Number(process.env.COLUMNS) || DEFAULT_WIDTH;
  const hasColours = showsColours(stream);
  return {
    width: Math.max(LEAST_WIDTH, Math.min(Math.floor(width), MOST_WIDTH)),
    // Without this option Node would check standard output, and not this stream.
    paint: (format, text) =>
      hasColours ? styleText(format, text, { validateStream: false }) : text,
  };
}

/** True if the stream has colours, by Node's rules for FORCE_COLOR, NO_COLOR and TERM. */
function showsColours(stream: Writable): boolean {
  const { env } = process;
  const isWanted = isInteractive(stream) || env.FORCE_COLOR !== undefined;
  return isWanted && WriteStream.prototype.getColorDepth(env) > 1;
}
