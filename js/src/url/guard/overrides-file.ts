// The file of overrides. A digest shows damage. In a damaged file no allow counts, but every readable block does.

import { pin } from '../../core/key-types.js';
import { copyOwn } from '../../core/options.js';
import { jsonIn, sha256Hex } from '../../core/signed/bytes.js';
import { isBytes } from '../../core/tags.js';

/** A user's exception to the lists, for a page, a host or a site. */
export interface Override {
  /** A canonical expression, such as `evil.example/x?y`, or a host and a slash. */
  readonly target: string;
  /** 'page' is this URL alone, with its query. 'host' is all pages of the host. 'site' is the host and its subdomains. */
  readonly scope: 'host' | 'site' | 'page';
  readonly verdict: 'allow' | 'block';
  /** The time of its end, in milliseconds since 1970; absent if it has none. */
  readonly untilMs?: number;
  /** The user's note. */
  readonly note?: string;
}

/** An override, and the latest time that was seen while it existed. */
export interface Kept extends Override {
  seenMs: number;
}

export const keyOf = ({ scope, target }: Pick<Override, 'scope' | 'target'>): string =>
  `${scope} ${target}`;

const utf8 = (text: string) => new TextEncoder().encode(text);

const fileOf = async (body: string): Promise<string> =>
  `{"sha256":"${await sha256Hex(utf8(body))}","overrides":[\n${body}\n]}\n`;

/** Matches an override, even between damaged ones: strings, and any characters but quotes and braces. */
const override = /\{"target":(?:"(?:[^"\\]|\\.)*"|[^"{}])*\}/g;

/** The text of the file. */
export function encodeOverrides(all: Iterable<Kept>): Promise<string> {
  return fileOf(Array.from(all, (one) => JSON.stringify(one)).join(',\n'));
}

export interface StoredFile {
  readonly kept: Map<string, Kept>;
  readonly isDamaged: boolean;
  readonly text: string;
}

/** Decodes a file. undefined and null mean that there is none. Anything else but a Uint8Array is damaged. */
export async function decodeOverrides(bytes: unknown): Promise<StoredFile> {
  const text = isBytes(bytes) ? new TextDecoder().decode(pin(bytes, 'storage')) : '';
  const body = text.slice(text.indexOf('\n') + 1, -4);
  const isDamaged = (bytes ?? undefined) !== undefined && text !== (await fileOf(body));
  const overrides = (text.match(override) ?? [])
    .map((one) => copyOwn(jsonIn(utf8(one))) as unknown as Kept)
    .filter(({ target, verdict }) => target && (!isDamaged || verdict === 'block'));
  return { kept: new Map(overrides.map((one) => [keyOf(one), one])), isDamaged, text };
}
