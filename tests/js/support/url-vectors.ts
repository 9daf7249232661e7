/** The vectors of tests/vectors/url. Their strings are bytes, one for each character. */
import { readFileSync } from 'node:fs';

const textOf = (name: string): string =>
  readFileSync(new URL(`../../vectors/url/${name}`, import.meta.url), 'utf8');

export interface UrlVector {
  readonly input: string;
  readonly rules?: string;
  readonly fail?: boolean;
  readonly conflicts_with_spec?: string;
  readonly expect?: string | null;
  readonly expect_v5?: string;
  readonly expect_url?: string;
  readonly expect_url_noquery?: string;
  readonly expect_host?: string;
  readonly expect_path?: string;
  readonly expressions?: readonly string[];
  readonly hosts?: readonly string[];
  readonly paths?: readonly string[];
}

export function urlVectors(name: string): UrlVector[] {
  return (JSON.parse(textOf(name)) as { vectors: UrlVector[] }).vectors;
}

/** The lines of a file of words; '-' means an empty word. */
export function vectorWords(name: string): string[][] {
  return textOf(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ').map((word) => (word === '-' ? '' : word)));
}

export const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
