// Holds the list outside the page's thread. It opens, asks and updates the list, and reports the cost.
import { expose, wrap } from 'comlink';
import {
  canonicalize,
  expressions,
  hashExpression,
  indexedDbStorage,
  navigationUrl,
  type UpdateResult,
  UrlChecker,
} from 'tamis/url';
import { hexOf } from '../format';
import { madeUpHost } from '../host';
import type {
  Answers,
  Confirmation,
  Damage,
  Failure,
  LookUp,
  Source,
  State,
  Update,
} from './protocol';
import { LIST_NAME } from './protocol';
import type { Wire } from './publisher-worker';
import { Traffic } from './traffic';

const DATABASE = 'tamis-demo-urls';
/** Each question to the confirm server hides among this number of prefixes of other entries. */
const DECOYS = 3;
const HUNT_BATCH = 4096;

const traffic = new Traffic();
let source: Source;
let checker: UrlChecker;
/** Before this resolves there is no checker, or only a closed one. */
let opening: Promise<Update | undefined>;
let openMs = 0;
let triedHosts = 0;

function failureOf(error: unknown): Failure | undefined {
  if (error === undefined) return undefined;
  const { code = 'Error', message = String(error) } = Object(error) as Partial<Failure>;
  return { code, message };
}

function canonicalOf(text: string): string | undefined {
  try {
    return canonicalize(text);
  } catch {
    return undefined;
  }
}

/** The exchanges since the last report, with the result or the error of this action. */
function entryOf(by: Update['by'], error?: unknown): Update {
  const exchanges = traffic.drain();
  const bytesOf = (isManifest: boolean): number =>
    exchanges
      .filter(({ kind }) => (kind === 'manifest') === isManifest)
      .reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
  const damaged = exchanges.filter(({ isDamaged }) => isDamaged).map(({ kind }) => kind);
  if (damaged.length > 0) traffic.damage = undefined;
  const { version, count } = checker.status;
  const failure = failureOf(error);
  return {
    atMs: Date.now(),
    by,
    version,
    entries: count,
    manifestBytes: bytesOf(true),
    listBytes: bytesOf(false),
    files: exchanges.filter(({ kind }) => kind !== 'manifest').length,
    damaged,
    ...(failure && { failure }),
  };
}

async function open(): Promise<Update | undefined> {
  const started = performance.now();
  checker = await UrlChecker.open(source.manifest, {
    name: LIST_NAME,
    publicKeys: [source.publicKey],
    storage: indexedDbStorage(DATABASE),
    confirm: source.confirm,
    whenMissing: 'unknown',
    whenUnconfirmed: 'unknown',
    decoys: DECOYS,
    // The page shows each search for an update. So the page makes all of them itself.
    updateEveryMs: 0,
    fetch: traffic.fetch,
  });
  checker.check('https://example.com/');
  openMs = performance.now() - started;
  const { source: from, error } = checker.status;
  if (from === 'storage') return undefined;
  return entryOf(error ? 'refused' : 'snapshot', error);
}

async function openAnew(): Promise<Update | undefined> {
  checker.close();
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(DATABASE);
    request.onsuccess = resolve;
    request.onerror = () => reject(request.error);
  });
  return open();
}

const demoChecker = {
  /** Opens the list. Returns the download that this needed, if there was one. */
  open(from: Source, publisher: MessagePort): Promise<Update | undefined> {
    source = from;
    traffic.wire = wrap<Wire>(publisher);
    opening = open();
    return opening;
  },

  async state(): Promise<State> {
    await opening;
    const { version, count, sizeBytes, ageMs, stale, source: from, error } = checker.status;
    const failure = failureOf(error);
    return {
      version,
      entries: count,
      sizeBytes,
      ageMs,
      isStale: stale,
      source: from,
      openMs,
      ...(failure && { failure }),
    };
  },

  async check(urls: readonly string[]): Promise<Answers> {
    await opening;
    const started = performance.now();
    const verdicts = checker.checkMany(urls);
    return { verdicts, ms: performance.now() - started };
  },

  /** The steps of looking up a valid URL. */
  async lookUp(url: string): Promise<LookUp> {
    await opening;
    const target = navigationUrl(url);
    const hits = new Set(checker.hits(url).map(({ expression }) => expression));
    // A text that this browser rejects, or that is too long, counts as a hit if another browser may open a listed page.
    const canonical = canonicalOf(target);
    const all = new Set([...(canonical === undefined ? [] : expressions(target)), ...hits]);
    return {
      canonical: canonical ?? target,
      expressions: [...all].map((text) => ({
        text,
        hash: hexOf(hashExpression(text)),
        isHit: hits.has(text),
      })),
    };
  },

  async verify(url: string): Promise<Confirmation> {
    await opening;
    const verification = await checker.verify(url);
    return { ...verification, exchange: traffic.drain().at(-1) };
  },

  async update(): Promise<Update> {
    await opening;
    let result: UpdateResult;
    try {
      result = await checker.update();
    } catch (error) {
      return entryOf('refused', error);
    }
    return entryOf(result.by);
  },

  /** Deletes the stored copy and starts as on a first visit. */
  forget(): Promise<Update | undefined> {
    opening = openAnew();
    return opening;
  },

  setOffline(isOffline: boolean): void {
    traffic.isOffline = isOffline;
  },

  /** Damages the next download of that kind. If `undefined` is given, nothing more is damaged. */
  setDamage(damage: Damage | undefined): void {
    traffic.damage = damage;
  },

  get damage(): Damage | undefined {
    return traffic.damage;
  },

  /** The next made-up URL that is a false positive, and the number of URLs that were tried. */
  async hunt(): Promise<{ readonly url: string; readonly tried: number }> {
    await opening;
    const start = triedHosts;
    for (;;) {
      const urls = Array.from(
        { length: HUNT_BATCH },
        (_, i) => `https://${madeUpHost(triedHosts + i)}/`,
      );
      const hit = checker.checkMany(urls).indexOf('maybe');
      triedHosts += hit < 0 ? HUNT_BATCH : hit + 1;
      const url = urls[hit];
      if (url !== undefined) return { url, tried: triedHosts - start };
      if (triedHosts - start > 5_000_000)
        throw new Error('no false positive among 5 million hosts');
    }
  },
};

export type DemoChecker = typeof demoChecker;

expose(demoChecker);
