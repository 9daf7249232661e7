// The publisher's side of the URL check: a signed list under lists/, the confirm server, and the list's next version.
// It does the work of a web server in a worker, so any static host can serve the demo.
import { type Manifest, signManifest, type UrlStorage } from 'tamis/url';
import { fetchFile } from '../fetch-file';
import { hexOf } from '../format';
import type { ListMaker, Made } from './list-maker';
import type { Material, PublisherState } from './protocol';

const LIFETIME_MS = 7 * 24 * 3600 * 1000;
/** An expired list is useless, so it is renewed a day before it expires. */
const RENEW_MS = 24 * 3600 * 1000;

const DESK = 'desk.json';
const MANIFEST = 'manifest.json';

/** The state that the publisher stores between visits. */
interface Desk {
  readonly step: number;
  /** PKCS #8, in hexadecimal. */
  readonly privateKey: string;
  readonly notAfter: string;
  readonly state: PublisherState;
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** The list through its history. */
export class Publisher {
  readonly #storage: UrlStorage;
  readonly #desk: UrlStorage;
  readonly #material: Material;
  #keys!: CryptoKeyPair;
  #state!: PublisherState;
  #step = -1;
  #maker: Promise<ListMaker> | undefined;
  #publishing: Promise<unknown> = Promise.resolve();

  private constructor(storage: UrlStorage, desk: UrlStorage, material: Material) {
    this.#storage = storage;
    this.#desk = desk;
    this.#material = material;
  }

  /** Continues from the last visit. On the first visit, it publishes the first version. */
  static async start(
    storage: UrlStorage,
    desk: UrlStorage,
    material: Material,
  ): Promise<Publisher> {
    const publisher = new Publisher(storage, desk, material);
    const stored = await desk.get(DESK);
    if (!stored) {
      await publisher.#publishFirst();
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
    if (Date.parse(found.notAfter) - Date.now() < RENEW_MS) {
      const maker = await publisher.#loadMaker();
      await publisher.#keep(await maker.publish(found.step, storage, publisher.#keys));
    }
    return publisher;
  }

  get state(): PublisherState {
    return this.#state;
  }

  /** Publishes the next version. If there is none, it publishes the last one for another week. */
  next(): Promise<PublisherState> {
    const published = this.#publishing.then(async () => {
      const maker = await this.#loadMaker();
      return this.#keep(await maker.publishAfter(this.#step, this.#storage, this.#keys));
    });
    this.#publishing = published.catch(() => {});
    return published;
  }

  /** Builds the data from which the confirm server answers. Building takes longer than a question may take. */
  async prepare(): Promise<void> {
    const maker = await this.#loadMaker();
    maker.build(this.#step);
  }

  /** The maker of lists. It is fetched once, or again after a failure. */
  #loadMaker(): Promise<ListMaker> {
    this.#maker ??= import('./list-maker').then((module) =>
      module.ListMaker.load(this.#material.historyUrl),
    );
    this.#maker.catch(() => {
      this.#maker = undefined;
    });
    return this.#maker;
  }

  /** The file of the first version. Rejects if it is not the file that this page was built with. */
  async #fetchFirst(): Promise<Uint8Array<ArrayBuffer>> {
    const { first, firstUrl } = this.#material;
    const bytes = new Uint8Array(await (await fetchFile(firstUrl)).arrayBuffer());
    if ((await sha256(bytes)) !== first.fields.snapshot.sha256) {
      throw new Error('the first list is of another version of this page: reload it');
    }
    return bytes;
  }

  /** Signs the first version, whose file exists already. So nothing is built before the first answer. */
  async #publishFirst(): Promise<void> {
    const { fields, sizes, next } = this.#material.first;
    const [bytes, keys] = await Promise.all([
      this.#fetchFirst(),
      crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']) as Promise<CryptoKeyPair>,
    ]);
    this.#keys = keys;
    const nowMs = Date.now();
    const manifest = await signManifest(
      {
        ...fields,
        seq: Math.floor(nowMs / 1000),
        created: new Date(nowMs).toISOString(),
        notAfter: new Date(nowMs + LIFETIME_MS).toISOString(),
      },
      keys,
    );
    await this.#storage.set(manifest.snapshot.url, bytes);
    await this.#storage.set(MANIFEST, jsonBytes(manifest));
    await this.#remember(0, manifest, sizes, next);
  }

  /** Stores a published version as the current one. */
  #keep({ step, manifest, version, next }: Made): Promise<PublisherState> {
    const { textBytes, textGzipBytes } = version;
    const sizes = { textBytes, textGzipBytes, filterBytes: manifest.snapshot.bytes };
    return this.#remember(step, manifest, sizes, next);
  }

  async #remember(
    step: number,
    { seq, version = '', n, notAfter }: Manifest,
    sizes: PublisherState['sizes'],
    next: string | null,
  ): Promise<PublisherState> {
    const { subtle } = crypto;
    const publicKey = hexOf(new Uint8Array(await subtle.exportKey('raw', this.#keys.publicKey)));
    this.#step = step;
    this.#state = { publicKey, seq, version, entries: n, sizes, next };
    const privateKey = new Uint8Array(await subtle.exportKey('pkcs8', this.#keys.privateKey));
    const desk: Desk = { step, privateKey: hexOf(privateKey), notAfter, state: this.#state };
    await this.#desk.set(DESK, jsonBytes(desk));
    return this.#state;
  }

  async #file(name: string, request: Request): Promise<Response> {
    const bytes = /^[a-z0-9.-]+$/.test(name) ? await this.#storage.get(name) : undefined;
    if (!bytes) return new Response('not found\n', { status: 404 });
    const content = new Uint8Array(bytes);
    if (name !== MANIFEST) {
      // The file is named by its content, so it never changes.
      return new Response(content, { headers: { 'cache-control': 'max-age=31536000, immutable' } });
    }
    const etag = `"${(await sha256(content)).slice(0, 16)}"`;
    const headers = { 'cache-control': 'no-cache', 'content-type': 'application/json', etag };
    const isKnown = request.headers.get('if-none-match') === etag;
    return new Response(isKnown ? null : content, { status: isKnown ? 304 : 200, headers });
  }

  /** The answer to a request for the list or the confirm server. */
  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/confirm')) {
      const maker = await this.#loadMaker();
      return maker.confirm(this.#step, request);
    }
    const [, name = ''] = /\/lists\/([^/]*)$/.exec(pathname) ?? [];
    return this.#file(name, request);
  }
}
