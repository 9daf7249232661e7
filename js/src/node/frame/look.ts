// How a stream shows text: how wide, and whether in colours.

import type { Readable, Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

type Format = 'bold' | 'green' | 'red' | 'yellow';

export interface Look {
  /** Columns of a line. */
  readonly width: number;
  /** The text in a colour, or as it is where the stream shows none. */
  readonly paint: (format: Format, text: string) => string;
}

const DEFAULT_WIDTH = 80;
/** Help needs some width, and nobody reads lines that are longer. */
const [LEAST_WIDTH, MOST_WIDTH] = [40, 120];

/** True where a person sits at the other end. */
export const isInteractive = (stream: Readable | Writable): boolean =>
  'isTTY' in stream && stream.isTTY === true;

export function lookOf(stream: Writable): Look {
  const { columns = 0 } = stream as Partial<WriteStream>;
  const width = columns || Number(process.env.COLUMNS) || DEFAULT_WIDTH;
  const hasColours = showsColours(stream);
  return {
    width: Math.max(LEAST_WIDTH, Math.min(Math.floor(width), MOST_WIDTH)),
    // Without the option Node would look at standard output, whatever stream this is.
    paint: (format, text) =>
      hasColours ? styleText(format, text, { validateStream: false }) : text,
  };
}

/** FORCE_COLOR, NO_COLOR and TERM count as Node counts them; a depth of 1 is none. */
function showsColours(stream: Writable): boolean {
  const { env } = process;
  const isWanted = isInteractive(stream) || env.FORCE_COLOR !== undefined;
  return isWanted && WriteStream.prototype.getColorDepth(env) > 1;
}
