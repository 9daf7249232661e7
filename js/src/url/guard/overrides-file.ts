// The file of overrides in a storage. A change is stored whole or not at all; a change reported as failed is undone.

import { isBytes, pin } from '../../core/key-types.js';
import { unavailableError, withTimeout } from '../../core/requests.js';
import { jsonIn, sha256Hex } from '../../core/signed/bytes.js';
import type { CheckerConfig } from '../client/checker-options.js';
import { replaceBytes } from '../client/stored-list.js';
import { inTurn, type UrlStorage } from '../signed/storage.js';

/** A user's exception to the lists, for a page, a host or a site. */
export interface Override {
  /** A host and a slash; for a page, the URL that a browser opens, without its scheme, such as `evil.example/x?y`. */
  readonly target: string;
  /**
   * 'page' is this URL alone, with its query; 'allow' applies to this spelling only, and 'block' to every spelling.
   * 'host' is all pages of the host. 'site' is the host and its subdomains.
   */
  readonly scope: 'host' | 'site' | 'page';
  readonly verdict: 'allow' | 'block';
  /** The time at which the override ends, in milliseconds since 1970; absent if it has no end. */
  readonly untilMs?: number;
  /** The user's note. */
  readonly note?: string;
}

export interface Kept extends Override {
  /** Distinguishes this override from a later one with the same scope and target. */
  readonly id: string;
  /** The latest time that the clock has shown while the override existed. */
  seenMs: number;
}

/** The name of the file, also used for its lock and the channel. */
export const fileName = 'tamis-overrides.json';

export const keyOf = ({ scope, target }: Pick<Override, 'scope' | 'target'>): string =>
  `${scope} ${target}`;

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Returns the text of the file. Its digest reveals damage. */
const fileOf = async (body: string): Promise<string> =>
  `{"sha256":"${await sha256Hex(utf8(body))}","overrides":[\n${body}\n]}\n`;

/** The start of each override. It occurs in no string, where a quote would have a backslash before it. */
const start = '{"target":';

/** Decodes the file, if there is one. From a damaged file, it drops every 'allow', and keeps each readable 'block'. */
async function decodeOverrides(bytes: unknown) {
  const text = isBytes(bytes) ? new TextDecoder().decode(pin(bytes, 'storage')) : '';
  // The overrides are between the first line and the end, `\n]}\n`.
  const body = text.slice(text.indexOf('\n') + 1, -4);
  const exists = bytes !== undefined && bytes !== null;
  // From an undamaged body, fileOf makes the same text, with the same digest.
  const isDamaged = exists && text !== (await fileOf(body));
  // Each override is one line. A line that is not JSON becomes {}, which has no target.
  const overrides = text
    .split(start)
    .slice(1)
    .map((rest) => {
      const [line = ''] = rest.split('\n', 1);
      const one = start + line.slice(0, line.lastIndexOf('}') + 1);
      return jsonIn(utf8(one)) as unknown as Kept;
    })
    .filter(({ target, verdict }) => target && (!isDamaged || verdict === 'block'));
  return { kept: new Map(overrides.map((one) => [keyOf(one), one])), isDamaged, text };
}

export const readOverrides = async (storage: UrlStorage) =>
  decodeOverrides(await storage.get(fileName));

/** A write of the file: the overrides before and after it, and its text. */
interface Write {
  readonly before: ReadonlyMap<string, Kept>;
  readonly kept: Map<string, Kept>;
  readonly text: string;
}

type Act = (kept: Map<string, Kept>) => unknown;

/** Applies `act` to the overrides of a file. Rejects with the reason of `signal` once that has aborted. */
async function applyTo(bytes: unknown, act: Act, signal: AbortSignal): Promise<Write> {
  const { kept } = await decodeOverrides(bytes);
  signal.throwIfAborted();
  const before = new Map(kept);
  act(kept);
  const text = await fileOf(Array.from(kept.values(), (one) => JSON.stringify(one)).join(',\n'));
  signal.throwIfAborted();
  return { before, kept, text };
}

/** Undoes a write in the current overrides. Later changes stay. An 'allow' that the write removed is not restored. */
function undo(now: Map<string, Kept>, { before, kept }: Write): void {
  for (const key of new Set([...before.keys(), ...kept.keys()])) {
    const earlier = before.get(key);
    const later = kept.get(key);
    const isDone = earlier?.id !== later?.id && now.get(key)?.id === later?.id;
    if (!isDone) continue;
    // Another process may have removed the same 'allow'.
    const comesBack = earlier && (later || earlier.verdict === 'block');
    if (comesBack) now.set(key, earlier);
    else now.delete(key);
  }
}

/**
 * Applies `act` to the stored overrides once the earlier calls have ended, and stores the result. Resolves to the
 * overrides and the text of the file. Rejects with the errors of the storage and of `act`, and with the reason of
 * `closing`. If the call rejects, the write is undone, at once or after the write, unless the storage fails again.
 */
export async function changeOverrides(
  { storage, downloadTimeoutMs }: Pick<CheckerConfig, 'storage' | 'downloadTimeoutMs'>,
  closing: AbortSignal,
  act: Act,
): Promise<Write> {
  let last: Write | undefined;
  /** Settles when no write runs any more. */
  let replacing: Promise<unknown> = Promise.resolve();
  let isReplacing = false;
  const end = () => {
    isReplacing = false;
  };
  const replace = (act: Act, signal?: AbortSignal) =>
    inTurn(storage, () =>
      withTimeout(downloadTimeoutMs, signal, async (signal) => {
        isReplacing = true;
        const change = async (bytes: unknown) => {
          last = await applyTo(bytes, act, signal);
          return utf8(last.text);
        };
        replacing = replaceBytes(storage, fileName, change, signal);
        replacing.then(end, end);
        await replacing;
      }),
    );
  try {
    await replace(act, closing);
    if (last) return last;
    throw unavailableError('storage.modify did not call change');
  } catch (error) {
    const write = last as Write | undefined;
    const undone =
      write &&
      replacing
        .catch(() => {})
        .then(() => replace((now) => undo(now, write)))
        .catch(() => {});
    if (!isReplacing) await undone;
    throw error;
  }
}
