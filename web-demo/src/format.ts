const integers = new Intl.NumberFormat('en');
const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function integer(value: number): string {
  return integers.format(value);
}

export function bytes(value: number): string {
  if (value < 1000) return `${integer(value)} B`;
  if (value < 1e6) return `${threeDigits.format(value / 1000)} kB`;
  return `${threeDigits.format(value / 1e6)} MB`;
}

/** A rate as a percentage with three digits, zeros included: 0.01 is "1.00 %". */
export function percent(rate: number): string {
  if (rate === 0) return '0 %';
  const value = rate * 100;
  return `${value < 1e-6 ? value.toExponential(1) : value.toPrecision(3)} %`;
}

/** A chance in words: 0.0101 is "1 in 99". */
export function oneIn(rate: number): string {
  return `1 in ${threeDigits.format(rate > 0.1 ? 1 / rate : Math.round(1 / rate))}`;
}

export function plural(count: number, word: string): string {
  return `${integer(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** The bytes in hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
