/// <reference lib="webworker" />
// Lets the page open without a network. It does not handle the list, which UrlChecker stores in IndexedDB.

/**
 * The page's files, and the files from which the publisher in it makes its lists. The build writes their names here, so
 * that this script differs after each build.
 */
declare const PAGE_FILES: readonly string[];

const CACHE = 'tamis-demo-page';

// TypeScript's library gives `self` the type of a page.
const worker = self as unknown as ServiceWorkerGlobalScope;
const kept = new Set(PAGE_FILES.map((name) => new URL(name, worker.registration.scope).href));

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll([...kept]);
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const cache = await caches.open(CACHE);
  const requests = await cache.keys();
  await Promise.all(requests.filter(({ url }) => !kept.has(url)).map((old) => cache.delete(old)));
  await worker.clients.claim();
}

/**
 * Answers from the network, so that an old file is never shown for a new one. Without a network, it answers from the
 * cache.
 */
async function answer(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(name, response.clone());
    return response;
  } catch (error) {
    const stored = await cache.match(name);
    if (stored) return stored;
    throw error;
  }
}

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
  const name = event.request.url.replace(/[?#].*$/, '');
  if (event.request.method === 'GET' && kept.has(name)) {
    event.respondWith(answer(event.request, name));
  }
});
