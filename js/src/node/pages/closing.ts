// The last line of each run of `tamis hash` has the number of printed records, so that a run that died is detected. It
// has an id, so that sort -u keeps it, and sorts behind all records, whose first byte is a digit.

import { createHash, randomBytes } from 'node:crypto';
import { CommandError } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';

/** The first bytes of a closing line. */
export const TILDE = 0x7e;
const ID_BYTES = 16;
const COUNT_DIGITS = 16;
/** The bytes of a closing line: a tilde, two fields with a tab before each, and a line feed. */
export const CLOSING_BYTES = 1 + (1 + 2 * ID_BYTES) + (1 + COUNT_DIGITS) + 1;

export const formatClosing = (records: number): string => {
  const count = records.toString(16).padStart(COUNT_DIGITS, '0');
  return `~\t${randomBytes(ID_BYTES).toString('hex')}\t${count}\n`;
};

/** The sum of the closing lines of one input. Each counts once. */
export class ClosingLines {
  readonly #name: string;
  readonly #counts = new Map<string, number>();

  /** `name` is that of the input, for errors. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The number of records of all runs of `tamis hash`. */
  get records(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A digest of the lines, which does not depend on their order. */
  get digest(): string {
    const lines = [...this.#counts].map(([id, count]) => `${id} ${count}\n`).sort();
    return createHash('sha256').update(lines.join('')).digest('hex');
  }

  /** Takes a line with its line feed. Throws a CommandError if it is not a closing line. */
  add(bytes: Uint8Array, line: number): void {
    const text = Buffer.from(bytes).toString('latin1');
    const match = /^~\t([\da-f]{32})\t(000[\da-f]{13})\n$/.exec(text);
    const place = `${this.#name}: line ${formatCount(line)}`;
    if (match === null) {
      const what = text.startsWith('~')
        ? 'expected a whole closing line, as tamis hash writes it'
        : 'a record behind a closing line: sort with LC_ALL=C';
      throw new CommandError(`${place}: ${what}`);
    }
    const [, id = '', digits = ''] = match;
    const count = Number.parseInt(digits, 16);
    if ((this.#counts.get(id) ?? count) !== count) {
      throw new CommandError(`${place}: another count than an earlier closing line of this id`);
    }
    this.#counts.set(id, count);
  }

  /** Throws a CommandError unless `hashes` runs of `tamis hash` ended, and printed at least `records` records. */
  check(records: number, hashes: number): void {
    const { size } = this.#counts;
    if (size !== hashes) {
      const lines = size === 0 ? 'no closing line' : pluralize(size, 'closing line');
      const way = size > hashes ? `give --hashes ${size}` : 'a run of tamis hash did not end';
      throw new CommandError(`${this.#name}: ${lines}, expected ${hashes}: ${way}`);
    }
    if (records <= this.records) return;
    const counts = `${pluralize(records, 'record')}, and the closing lines say ${formatCount(this.records)}`;
    throw new CommandError(`${this.#name}: ${counts}: hash and sort anew`);
  }
}
