// Parts of a browser that the code of docs needs and Node lacks: workers and service workers, their events,
// caches, and a network. Its only server is the file server.js of the page, if the page has one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread, parentPort, Worker as Thread } from 'node:worker_threads';

const origin = 'https://site.example/';
const server = join(process.cwd(), 'server.js');
const toRequest = (input, init) =>
  input instanceof Request ? input : new Request(new URL(input, origin), init);

/** The service worker's listeners, if a service worker was registered. */
const listeners = new Map();

/** Sends an event to the service worker. Resolves to its answer, after all promises passed to waitUntil(). */
async function dispatch(type, more = {}) {
  const waited = [];
  let answer;
  const event = {
    waitUntil: (promise) => waited.push(promise),
    respondWith: (response) => {
      answer = response;
    },
    ...more,
  };
  for (const listener of listeners.get(type) ?? []) listener(event);
  await Promise.all(waited);
  return answer;
}

const { fetch: fetchOfNode } = globalThis;

async function fetchFromServer(request) {
  // A data address contains its bytes and needs no server.
  if (request.url.startsWith('data:')) return fetchOfNode(request);
  if (!existsSync(server)) throw new TypeError('fetch: there is no server');
  const { handle } = await import(pathToFileURL(server).href);
  return handle(request);
}

globalThis.fetch = async (input, init) => {
  const request = toRequest(input, init);
  return (await dispatch('fetch', { request })) ?? fetchFromServer(request);
};

const stores = new Map();
globalThis.caches = {
  keys: async () => [...stores.keys()],
  delete: async (name) => stores.delete(name),
  async open(name) {
    const store = stores.get(name) ?? new Map();
    stores.set(name, store);
    return {
      match: async (path) => store.get(path)?.clone(),
      async add(path) {
        store.set(path, await fetchFromServer(toRequest(path)));
      },
    };
  },
};

globalThis.self = globalThis;
if (isMainThread) {
  globalThis.addEventListener = (type, listener) => {
    listeners.set(type, [...(listeners.get(type) ?? []), listener]);
  };
  globalThis.navigator ??= {};
  Object.defineProperty(navigator, 'serviceWorker', {
    value: {
      ready: Promise.resolve(),
      async register(path) {
        await import(pathToFileURL(join(process.cwd(), path)).href);
        await dispatch('install');
        await dispatch('activate');
      },
    },
  });
} else {
  globalThis.addEventListener = (type, listener) =>
    parentPort.on(type, (data) => listener({ data }));
}

globalThis.Worker = class {
  #thread;

  constructor(url) {
    this.#thread = new Thread(url);
  }

  addEventListener(type, listener) {
    this.#thread.on(type, (data) => listener({ data }));
  }

  postMessage(message, transfer) {
    this.#thread.postMessage(message, transfer);
  }

  terminate() {
    void this.#thread.terminate();
  }
};
