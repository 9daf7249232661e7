// Converts the answers to the five questions into the input of suggestFilter, and its suggestion into a program.
import type { FilterNeeds, FilterSuggestion } from 'tamis';
import { InputError, readCount, readRate } from '../calculator/units';

/** The answers as typed and chosen. */
export interface Answers {
  readonly keys: string;
  readonly change: 'fixed' | 'changes';
  readonly deletes: boolean;
  readonly error: 'rate' | 'exact' | 'value';
  readonly rate: string;
  readonly others: string;
  readonly valueBits: string;
  readonly grows: boolean;
}

function readValueBits(text: string): number {
  const bits = Number(text.trim());
  if (Number.isInteger(bits) && bits >= 1 && bits <= 32) return bits;
  throw new InputError('Write the bits of a value as a whole number from 1 to 32.');
}

/** Throws an InputError if an answer cannot be read. */
export function needsOf(answers: Answers): FilterNeeds {
  const { keys, change, deletes, error, rate, others, valueBits, grows } = answers;
  const capacity = readCount(keys);
  const isFixed = change === 'fixed';
  return {
    capacity,
    static: isFixed,
    deletes: !isFixed && deletes,
    grows: !isFixed && grows,
    ...(error === 'rate' && { fpr: readRate(rate) }),
    ...(error === 'exact' && { universe: capacity + readCount(others) }),
    ...(error === 'value' && { values: readValueBits(valueBits), fpr: readRate(rate) }),
  };
}

const made = (className: string, line: string, use: string): string =>
  `import { ${className} } from 'tamis';\n\n${line}\n${use}\n`;

const listOf = (options: object): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

/** A program that makes the suggested filter. */
export function programOf(suggestion: FilterSuggestion): string {
  const { className } = suggestion;
  const look = "filter.has('alice');";
  switch (suggestion.type) {
    case 'set':
      return `const set = new Set(keys);\nset.has('alice'); // exact\n`;
    case 'map':
      return `const map = new Map(entries);\nmap.get('alice'); // exact\n`;
    case 'bit-array':
      return made(
        className,
        `const present = new BitArray(${suggestion.options});`,
        'present.set(7);\npresent.has(7); // true, exact',
      );
    case 'exact':
      return made(
        className,
        'const filter = ExactFilter.from({ include: keys, exclude: others });',
        look,
      );
    case 'ribbon':
      return made(
        className,
        `const filter = RibbonFilter.from(keys, { ${listOf(suggestion.options)} });`,
        look,
      );
    case 'bloomier':
      return made(
        className,
        `const map = BloomierMap.from(entries, { ${listOf(suggestion.options)} });`,
        "map.get('alice');",
      );
    default:
      return made(
        className,
        `const filter = new ${className}({ ${listOf(suggestion.options)} });`,
        `filter.addMany(keys);\n${look}`,
      );
  }
}

/** The documentation page about the suggested class. */
export function pageOf({ type }: FilterSuggestion): string {
  if (type === 'set' || type === 'map') return 'guide/choose';
  return `filters/${type === 'blocked-bloom' ? 'bloom' : type}`;
}
