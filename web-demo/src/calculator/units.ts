// Numbers of keys, rates and sizes, in the forms in which people write them. Each function throws an InputError that
// says how to write the number.

export class InputError extends Error {}

const THOUSANDS = /(?<=\d)[,_' \u00a0](?=\d{3}(?:\D|$))/g;
const NUMBER = String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?`;

const COUNT = new RegExp(`^(${NUMBER})\\s*(k|thousand|m|million|b|billion)?$`, 'i');
const COUNT_UNITS: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  b: 1e9,
  billion: 1e9,
};

const SIZE = new RegExp(`^(${NUMBER})\\s*([kmgt]?)(i?)(bits?|bytes?|b)?$`, 'i');
const POWERS: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

function clean(text: string): string {
  return text.trim().replace(THOUSANDS, '');
}

function whole(value: number, words: string): number {
  if (!Number.isSafeInteger(value) || value < 1) throw new InputError(words);
  return value;
}

/** A number of keys: `13,752`, `1e6`, `1.5 million`. */
export function readCount(text: string): number {
  const words = 'Write keys as a whole number from 1 on: 13,752 or 1e6 or 2 million.';
  const [, digits, unit = ''] = COUNT.exec(clean(text)) ?? [];
  if (digits === undefined) throw new InputError(words);
  const value = Number(digits) * (COUNT_UNITS[unit.toLowerCase()] ?? 1);
  // A factor such as 1.1 million counts as a whole number here, whatever floating point makes of it.
  return whole(Number(value.toPrecision(15)), words);
}

/** A rate: `1 in 1000`, `1/1000`, `0.1 %`, `1e-3`. */
export function readRate(text: string): number {
  const words = 'Write a rate between 0 and 1: 1 in 1000 or 0.1 % or 1e-3.';
  const cleaned = clean(text);
  const [, part, all] =
    new RegExp(`^(${NUMBER})\\s*(?:in|/|:)\\s*(${NUMBER})$`, 'i').exec(cleaned) ?? [];
  const [, share, percent] = new RegExp(`^(${NUMBER})\\s*(%)?$`, 'i').exec(cleaned) ?? [];
  const rate =
    all === undefined
      ? Number(share) / (percent === undefined ? 1 : 100)
      : Number(part) / Number(all);
  if (!(rate > 0 && rate < 1)) throw new InputError(words);
  return rate;
}

/** Bits: `12 MB`, `8 KiB`, `1 Mbit`. A number without a unit means bits. */
export function readBits(text: string): number {
  const words = 'Write a size from 1 bit on: 12 MB or 8 KiB or 100,000 bits.';
  const [, digits, power = '', binary = '', unit = 'bit'] = SIZE.exec(clean(text)) ?? [];
  if (digits === undefined || (binary && !power)) throw new InputError(words);
  const base = binary ? 1024 : 1000;
  const bits = /^bits?$/i.test(unit) ? 1 : 8;
  const value = Number(digits) * base ** (POWERS[power.toLowerCase()] ?? 0) * bits;
  return whole(Math.round(value), words);
}

/** A number of hashes. */
export function readHashes(text: string): number {
  const words = 'Write hashes as a whole number from 1 to 64.';
  const cleaned = clean(text);
  if (!/^\d+$/.test(cleaned) || Number(cleaned) > 64) throw new InputError(words);
  return whole(Number(cleaned), words);
}
