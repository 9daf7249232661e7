import { BitArray, BloomFilter, type Structure } from 'tamis';
import { figuresAsJson, parseRange, readSecret, secretOption } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { CommandError, UsageError } from '../frame/errors.js';
import { report } from './figures.js';
import { foreignOf, formatOptions, fromOption, loadFrom } from './formats.js';

export const inspect = command({
  usage: 'inspect FILE',
  summary: 'shows the figures and the bits in a file',
  about:
    'Shows the figures in a file. A warning says if a filter contains more keys than it was designed for.',
  operands: {
    FILE: 'a file that tamis build wrote, or toBytes() in a program; with --from, a file of another program',
  },
  expected: [1, 1, 'one FILE, which tamis build or toBytes wrote'],
  options: {
    from: fromOption,
    bits: {
      value: 'FROM:TO',
      help: 'also prints the bits FROM to TO - 1; either can be left out',
    },
    'secret-file': secretOption,
    json: figuresAsJson,
    ...formatOptions,
  },
  async run(values, [path]: readonly [string], terminal) {
    const { bits, json } = values;
    const source = await loadFrom(path, values, await readSecret(values['secret-file']));
    const { structure, fileBytes } = source;
    const range = bits === undefined ? undefined : rangeOf(structure, bits, path);
    const more = range && { bitsFrom: range.from, bitsTo: range.to, bitString: range.text };
    const foreign = foreignOf(source);
    await report(structure, { json, fileBytes, heading: path, path, more, foreign }, terminal);
    if (range && !json) await terminal.print(`\n${layOut(range)}`);
    structure.dispose();
  },
});

/** The maximum number of bits to print. More would exceed the longest string of some engines. */
const MAX_BITS_SHOWN = 2 ** 24;

/** The range that the option names, with its bits as `0` and `1`. */
function rangeOf(structure: Structure, option: string, path: string) {
  const isBloom = structure instanceof BloomFilter;
  if (!isBloom && !(structure instanceof BitArray)) {
    throw new CommandError(
      `${path}: --bits shows the bits of a bloom or a bit-array, but this is a ${structure.type}`,
    );
  }
  const length = isBloom ? structure.bits : structure.length;
  const { from, to } = parseRange(option, length, '--bits', 'bit');
  if (to - from > MAX_BITS_SHOWN) {
    throw new UsageError(`--bits ${option}: expected at most ${MAX_BITS_SHOWN} bits at a time`);
  }
  if (isBloom) return { from, to, text: structure.toBitString(from, to) };
  const bits = Array.from({ length: to - from }, (_, i) => Number(structure.has(from + i)));
  return { from, to, text: bits.join('') };
}

/** Rows of 64 bits, in groups of eight, each after the index of its first bit. */
function layOut({ from, to, text }: ReturnType<typeof rangeOf>): string {
  const width = String(to).length;
  const rows = text.match(/.{1,64}/g) ?? [];
  const lines = rows.map((row, i) => {
    const index = String(from + 64 * i).padStart(width);
    return `  ${index}  ${row.replace(/.{8}(?=.)/g, '$& ')}\n`;
  });
  return lines.join('');
}
