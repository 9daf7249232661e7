// Overrides as a file. A digest shows any damage; then no allow holds, and each block that can be read does.

import { pin } from '../../core/key-types.js';
import { copyOwn } from '../../core/options.js';
import { jsonIn, sha256Hex } from '../../core/signed/bytes.js';
import { isBytes } from '../../core/tags.js';

/** What a user says of a page, a host or a site, against the lists. */
export interface Override {
  /** A canonical expression: 'evil.example/x?y', or a host and a slash. */
  readonly target: string;
  /** 'page': this URL alone, with its query. 'host': all pages of the host. 'site': the host and what is below it. */
  readonly scope: 'host' | 'site' | 'page';
  readonly verdict: 'allow' | 'block';
  /** Until when it holds, in milliseconds since 1970; absent: for ever. */
  readonly untilMs?: number;
  /** What the user wrote with it. */
  readonly note?: string;
}

/** An override, and the latest time that was seen while it was there. */
export interface Kept extends Override {
  seenMs: number;
}

export const keyOf = ({ scope, target }: Pick<Override, 'scope' | 'target'>): string =>
  `${scope} ${target}`;

const utf8 = (text: string) => new TextEncoder().encode(text);

const fileOf = async (body: string): Promise<string> =>
  `{"sha256":"${await sha256Hex(utf8(body))}","overrides":[\n${body}\n]}\n`;

/** An override in the text, also where others beside it are damaged: strings, and what is none. */
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

/** What is in a file; undefined and null are one that was never written, and what is no Uint8Array is damaged. */
export async function decodeOverrides(bytes: unknown): Promise<StoredFile> {
  const text = isBytes(bytes) ? new TextDecoder().decode(pin(bytes, 'storage')) : '';
  const body = text.slice(text.indexOf('\n') + 1, -4);
  const isDamaged = (bytes ?? undefined) !== undefined && text !== (await fileOf(body));
  const found = (text.match(override) ?? [])
    .map((one) => copyOwn(jsonIn(utf8(one))) as unknown as Kept)
    .filter(({ target, verdict }) => target && (!isDamaged || verdict === 'block'));
  return { kept: new Map(found.map((one) => [keyOf(one), one])), isDamaged, text };
}
