/** Reads the vectors in tests/vectors/url. Each character of their strings is a byte. */
import { readFileSync } from 'node:fs';

const textOf = (name: string): string =>
  readFileSync(new URL(`../../vectors/url/${name}`, import.meta.url), 'utf8');

interface UrlVector {
  readonly input: string;
  readonly rules?: string;
  readonly conflicts_with_spec?: string;
  readonly expressions?: readonly string[];
}

export function urlVectors(name: string): UrlVector[] {
  return (JSON.parse(textOf(name)) as { vectors: UrlVector[] }).vectors;
}

/** The words of each line in a file; '-' stands for an empty word. */
export function vectorWords(name: string): string[][] {
  return textOf(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ').map((word) => (word === '-' ? '' : word)));
}

export const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
