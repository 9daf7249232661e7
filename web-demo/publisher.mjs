// The publisher's side of the URL check: serves the demo, a signed list under lists/, the confirm server,
// and a switch that publishes the list's next version.
//   node web-demo/publisher.mjs [port]      0: any free port
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createConfirmHandler, memoryStorage, publishList, UrlListBuilder } from 'tamis/url';
import { hostsAt, steps, WELL_KNOWN } from './history.mjs';
import { BUILT, startServer } from './serve.mjs';

const NAME = 'tamis-demo';
/** A spoilt source changes more than a real step of this history ever did, or lists what everybody uses. */
const GATE = {
  mustNotMatch: WELL_KNOWN,
  minEntries: 100_000,
  maxAddedPct: 10,
  maxRemovedPct: 1,
};
const CONFIRM_TIMES = { cacheSeconds: 300, negativeSeconds: 1800 };

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const json = (value) => Response.json(value, { headers: { 'cache-control': 'no-store' } });

/** The list through its history; its key lives as long as the process. */
class Publisher {
  #storage = memoryStorage();
  #keys;
  #step = -1;
  #list;
  #confirm;
  #textSizes;
  #state;
  #publishing = Promise.resolve();

  static async start() {
    const publisher = new Publisher();
    publisher.#keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
    await publisher.next();
    return publisher;
  }

  /** Publishes the next version; the last one again, for another week, where there is none. */
  next() {
    this.#publishing = this.#publishing.catch(() => {}).then(() => this.#publish());
    return this.#publishing;
  }

  async #publish() {
    const step = Math.min(this.#step + 1, steps - 1);
    const { version, hosts } = await hostsAt(step);
    if (step !== this.#step) {
      // Some lines of the packages are no hosts; were they many, the gate would refuse the rest.
      const builder = new UrlListBuilder({ skipInvalid: true }).addHosts(hosts);
      const previous = this.#list;
      this.#list = builder.build({ gate: GATE, ...(previous && { previous }) });
      previous?.dispose();
      this.#confirm = createConfirmHandler(builder.fullHashes, CONFIRM_TIMES);
      this.#step = step;
      const text = hosts.join('\n');
      this.#textSizes = { textBytes: text.length, textGzipBytes: gzipSync(text).length };
    }
    const options = { name: NAME, storage: this.#storage, keys: this.#keys, version };
    const { seq, n, snapshot } = await publishList(this.#list, options);
    const after = step + 1 < steps ? await hostsAt(step + 1) : undefined;
    const publicKey = hex(await crypto.subtle.exportKey('raw', this.#keys.publicKey));
    const sizes = { ...this.#textSizes, filterBytes: snapshot.bytes };
    this.#state = { publicKey, seq, version, entries: n, sizes, next: after?.version ?? null };
  }

  async #file(name, request) {
    const bytes = /^[a-z0-9.-]+$/.test(name) ? await this.#storage.get(name) : undefined;
    if (!bytes) return new Response('not found\n', { status: 404 });
    if (name !== 'manifest.json') {
      // Named by its content, which never changes.
      return new Response(bytes, { headers: { 'cache-control': 'max-age=31536000, immutable' } });
    }
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
    const headers = { 'cache-control': 'no-cache', 'content-type': 'application/json', etag };
    const isKnown = request.headers.get('if-none-match') === etag;
    return new Response(isKnown ? null : bytes, { status: isKnown ? 304 : 200, headers });
  }

  /** The answer to a request that is for the publisher, undefined for one that is not. */
  async handle(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/confirm') return this.#confirm(request);
    if (pathname === '/publisher') return json(this.#state);
    if (pathname === '/publisher/next' && request.method === 'POST') {
      await this.next();
      return json(this.#state);
    }
    const [, name] = /^\/lists\/(.*)$/.exec(pathname) ?? [];
    return name === undefined ? undefined : this.#file(name, request);
  }
}

/**
 * Starts the publisher. `onExchange` is told of each request that it answered: of the request and what was
 * `asked`, its body; of the status and bytes of the answer.
 */
export async function startPublisher({ port = 4173, root = BUILT, onExchange } = {}) {
  const publisher = await Publisher.start();
  return startServer({
    root,
    port,
    async handle(request) {
      const copy = request.clone();
      const answer = await publisher.handle(request);
      if (answer && onExchange) {
        const asked = await copy.arrayBuffer();
        const { byteLength: bytes } = await answer.clone().arrayBuffer();
        onExchange({ request, asked, status: answer.status, bytes });
      }
      return answer;
    },
  });
}

/** What the servers learn of their visitors, as it comes in. */
function print({ request, asked, status, bytes }) {
  const question = asked.byteLength === 0 ? '' : ` asks ${hex(asked).replace(/.{8}\B/g, '$& ')}`;
  const { pathname } = new URL(request.url);
  console.log(`${request.method} ${pathname}${question}: ${status}, ${bytes} bytes`);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await readFile(join(BUILT, 'urls.html'));
    const { url } = await startPublisher({ port: Number(argv[2] ?? 4173), onExchange: print });
    console.log(`The demo is at ${url}, its URL check at ${url}urls.html (Ctrl+C ends it)`);
  } catch (error) {
    const notBuilt = error.code === 'ENOENT';
    console.error(notBuilt ? 'the demo is not built: run `npm run demo`' : error.message);
    exit(1);
  }
}
