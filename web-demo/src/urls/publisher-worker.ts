// Runs the publisher in a worker of its own, separate from the worker that holds the list. The two exchange requests
// and answers as they would over a network. The publisher records every request.
import { expose } from 'comlink';
import { indexedDbStorage, memoryStorage, type UrlStorage } from 'tamis/url';
import { hexOf } from '../format';
import type { Material, PublisherState, Seen, WireAnswer, WireRequest } from './protocol';
import { Publisher } from './publisher';

const FILES = 'tamis-demo-publisher';
const DESK = 'tamis-demo-publisher-desk';

let publisher: Promise<Publisher>;
const seen: Seen[] = [];

/** A database, or memory if the browser allows no database. The memory is lost with the page. */
async function storageOf(name: string): Promise<UrlStorage> {
  const database = indexedDbStorage(name);
  try {
    await database.get('');
    return database;
  } catch {
    return memoryStorage();
  }
}

async function start(material: Material): Promise<Publisher> {
  const [files, desk] = await Promise.all([storageOf(FILES), storageOf(DESK)]);
  return Publisher.start(files, desk, material);
}

const desk = {
  async start(material: Material): Promise<PublisherState> {
    publisher = start(material);
    return (await publisher).state;
  },

  async next(): Promise<PublisherState> {
    return (await publisher).next();
  },

  /** Prepares the confirm server. */
  async prepare(): Promise<void> {
    return (await publisher).prepare();
  },

  /** All requests that arrived, in order. */
  seen(): readonly Seen[] {
    return seen;
  },

  /** Gives the worker that holds the list a port of its own for its requests. */
  connect(port: MessagePort): void {
    expose(wire, port);
  },
};

const wire = {
  async answer({ url, method, headers, body }: WireRequest): Promise<WireAnswer> {
    const request = new Request(url, { method, headers, ...(body && { body }) });
    const { pathname } = new URL(url);
    const response = await (await publisher).answer(request);
    const content = new Uint8Array(await response.arrayBuffer());
    seen.push({
      method,
      path: pathname,
      headers,
      sent: body ? hexOf(body) : '',
      status: response.status,
      bytes: content.length,
    });
    return { status: response.status, headers: [...response.headers], body: content };
  },
};

export type PublisherDesk = typeof desk;
export type Wire = typeof wire;

expose(desk);
