// The publisher's side of the URL check: a signed list under lists/, the confirm server, and the list's next
// version. What a web server would do, it does in a worker, so that any static host serves the demo.
import {
  createConfirmHandler,
  publishList,
  type UrlList,
  UrlListBuilder,
  type UrlStorage,
} from 'tamis/url';
import { hexOf } from '../format';
import { type History, type Version, WELL_KNOWN } from './history';
import { LIST_NAME, type PublisherState } from './protocol';

/** A spoilt source changes more than a real step of this history ever did, or lists what everybody uses. */
const GATE = {
  mustNotMatch: WELL_KNOWN,
  minEntries: 100_000,
  maxAddedPct: 10,
  maxRemovedPct: 1,
};
const CONFIRM_TIMES = { cacheSeconds: 300, negativeSeconds: 1800 };
/** A list past its time is of no use: it is renewed a day before. */
const RENEW_MS = 24 * 3600 * 1000;

const DESK = 'desk.json';

/** What the publisher remembers from one visit to the next. */
interface Desk {
  readonly step: number;
  /** PKCS #8, in hexadecimal. */
  readonly privateKey: string;
  readonly notAfter: string;
  readonly state: PublisherState;
}

interface Built {
  readonly step: number;
  readonly list: UrlList;
  readonly confirm: (request: Request) => Promise<Response>;
  readonly version: Version;
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

async function etagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `"${hexOf(hash).slice(0, 16)}"`;
}

/** The list through its history. */
export class Publisher {
  readonly #storage: UrlStorage;
  readonly #desk: UrlStorage;
  readonly #loadHistory: () => Promise<History>;
  #keys!: CryptoKeyPair;
  #state!: PublisherState;
  #step = -1;
  #built: Built | undefined;
  #publishing: Promise<unknown> = Promise.resolve();

  private constructor(storage: UrlStorage, desk: UrlStorage, loadHistory: () => Promise<History>) {
    this.#storage = storage;
    this.#desk = desk;
    this.#loadHistory = loadHistory;
  }

  /** Goes on where the last visit ended; on the first, publishes the first version. */
  static async start(
    storage: UrlStorage,
    desk: UrlStorage,
    loadHistory: () => Promise<History>,
  ): Promise<Publisher> {
    const publisher = new Publisher(storage, desk, loadHistory);
    const stored = await desk.get(DESK);
    if (!stored) {
      publisher.#keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
      await publisher.next();
      return publisher;
    }
    const found: Desk = JSON.parse(new TextDecoder().decode(stored));
    const imported = (format: 'pkcs8' | 'raw', hex: string, use: KeyUsage) =>
      crypto.subtle.importKey(format, bytesOf(hex), 'Ed25519', true, [use]);
    publisher.#keys = {
      privateKey: await imported('pkcs8', found.privateKey, 'sign'),
      publicKey: await imported('raw', found.state.publicKey, 'verify'),
    };
    publisher.#step = found.step;
    publisher.#state = found.state;
    if (Date.parse(found.notAfter) - Date.now() < RENEW_MS) await publisher.#publish(found.step);
    return publisher;
  }

  get state(): PublisherState {
    return this.#state;
  }

  /** Publishes the next version; the last one again, for another week, where there is none. */
  next(): Promise<PublisherState> {
    const published = this.#publishing.then(async () => {
      const { steps } = await this.#loadHistory();
      return this.#publish(Math.min(this.#step + 1, steps - 1));
    });
    this.#publishing = published.catch(() => {});
    return published;
  }

  /** The list of a step, and who confirms its entries. */
  async #build(step: number): Promise<Built> {
    if (this.#built?.step === step) return this.#built;
    const version = (await this.#loadHistory()).at(step);
    // Some lines of the packages are no hosts; were they many, the gate would refuse the rest.
    const builder = new UrlListBuilder({ skipInvalid: true }).addHosts(version.hosts);
    const previous = this.#built?.list;
    const list = builder.build({ gate: GATE, ...(previous && { previous }) });
    previous?.dispose();
    const confirm = createConfirmHandler(builder.fullHashes, CONFIRM_TIMES);
    this.#built = { step, list, confirm, version };
    return this.#built;
  }

  async #publish(step: number): Promise<PublisherState> {
    // The gate compares with what stands.
    if (this.#step >= 0) await this.#build(this.#step);
    const { list, version } = await this.#build(step);
    const options = { name: LIST_NAME, storage: this.#storage, keys: this.#keys };
    const manifest = await publishList(list, { ...options, version: version.version });
    const { seq, n, snapshot, notAfter } = manifest;
    const { subtle } = crypto;
    const { textBytes, textGzipBytes } = version;
    this.#step = step;
    this.#state = {
      publicKey: hexOf(new Uint8Array(await subtle.exportKey('raw', this.#keys.publicKey))),
      seq,
      version: version.version,
      entries: n,
      sizes: { textBytes, textGzipBytes, filterBytes: snapshot.bytes },
      next: (await this.#loadHistory()).nameOf(step + 1) ?? null,
    };
    const privateKey = new Uint8Array(await subtle.exportKey('pkcs8', this.#keys.privateKey));
    const desk: Desk = { step, privateKey: hexOf(privateKey), notAfter, state: this.#state };
    await this.#desk.set(DESK, new TextEncoder().encode(JSON.stringify(desk)));
    return this.#state;
  }

  async #file(name: string, request: Request): Promise<Response> {
    const bytes = /^[a-z0-9.-]+$/.test(name) ? await this.#storage.get(name) : undefined;
    if (!bytes) return new Response('not found\n', { status: 404 });
    const content = new Uint8Array(bytes);
    if (name !== 'manifest.json') {
      // Named by its content, which never changes.
      return new Response(content, { headers: { 'cache-control': 'max-age=31536000, immutable' } });
    }
    const etag = await etagOf(content);
    const headers = { 'cache-control': 'no-cache', 'content-type': 'application/json', etag };
    const isKnown = request.headers.get('if-none-match') === etag;
    return new Response(isKnown ? null : content, { status: isKnown ? 304 : 200, headers });
  }

  /** The answer to a request for the list or the confirm server. */
  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/confirm')) {
      const { confirm } = await this.#build(this.#step);
      return confirm(request);
    }
    const [, name = ''] = /\/lists\/([^/]*)$/.exec(pathname) ?? [];
    return this.#file(name, request);
  }
}
