// Holds two lists at once, outside the page's thread: this page's list, and the visitor's own. The visitor's list is
// also published here, into memory, as its owner would publish it on a static host.
import { expose, wrap } from 'comlink';
import {
  type GuardAnswer,
  type GuardVerdict,
  type ListAction,
  memoryStorage,
  publishList,
  UrlGuard,
  UrlList,
} from 'tamis/url';
import { type Confirmation, LIST_NAME, type Source } from './protocol';
import type { Wire } from './publisher-worker';
import { Traffic } from './traffic';

const DECOYS = 3;
const OWN_FOLDER = '/own-list/';
const OWN_NAME = 'own';

/** The names of the lists in the guard. */
export type ListName = 'phishing' | 'yours';
export type Actions = Readonly<Record<ListName, ListAction>>;

export interface Verified {
  readonly verdict: GuardVerdict;
  /** The question to the confirm server of the phishing list and its answer, if there was a question. */
  readonly confirmation?: Confirmation;
}

const traffic = new Traffic();
let source: Source;
let actions: Actions;
let signingKeys: CryptoKeyPair;
/** The storage in which the visitor's list is published. */
let published = memoryStorage();
/** The storage of the guard. */
let stored = memoryStorage();
let opening: Promise<UrlGuard> | undefined;

async function fetchFile(url: string, init: RequestInit): Promise<Response> {
  const { pathname } = new URL(url);
  if (!pathname.startsWith(OWN_FOLDER)) return traffic.fetch(url, init);
  const bytes = await published.get(pathname.slice(OWN_FOLDER.length));
  return new Response(bytes ? new Uint8Array(bytes) : null, { status: bytes ? 200 : 404 });
}

function open(): Promise<UrlGuard> {
  opening ??= UrlGuard.open({
    lists: {
      phishing: {
        manifest: source.manifest,
        name: LIST_NAME,
        publicKeys: [source.publicKey],
        confirm: source.confirm,
        action: actions.phishing,
      },
      yours: {
        manifest: new URL(`${OWN_FOLDER}manifest.json`, source.manifest).href,
        name: OWN_NAME,
        publicKeys: [signingKeys.publicKey],
        confirm: null,
        action: actions.yours,
        isOptional: true,
      },
    },
    storage: stored,
    whenMissing: 'unknown',
    whenUnconfirmed: 'unknown',
    decoys: DECOYS,
    // The page decides when to look for updates.
    updateEveryMs: 0,
    fetch: fetchFile,
  });
  return opening;
}

async function close(): Promise<void> {
  const closing = opening;
  opening = undefined;
  (await closing)?.close();
}

const desk = {
  async connect(from: Source, port: MessagePort, wanted: Actions): Promise<void> {
    source = from;
    actions = wanted;
    traffic.wire = wrap<Wire>(port);
    signingKeys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  },

  /** Takes the visitor's list as a file. Without bytes, the list is removed. */
  async setList(bytes: Uint8Array | undefined): Promise<void> {
    if (bytes === undefined) {
      await close();
      published = memoryStorage();
      stored = memoryStorage();
      return;
    }
    const list = UrlList.fromBytes(bytes);
    try {
      // The list always changes as a whole, and only this page has it. So deltas are not needed.
      const options = { name: OWN_NAME, storage: published, signingKeys, jumps: 0, maxDeltas: 0 };
      await publishList(list, options);
    } finally {
      list.dispose();
    }
    await desk.update();
  },

  async setActions(wanted: Actions): Promise<void> {
    actions = wanted;
    await close();
  },

  setOffline(isOffline: boolean): void {
    traffic.isOffline = isOffline;
  },

  /** Looks for newer versions of the lists, if any list was opened. */
  async update(): Promise<void> {
    await (await opening)?.update();
  },

  async check(url: string): Promise<GuardAnswer> {
    return (await open()).check(url);
  },

  async verify(url: string): Promise<Verified> {
    const guard = await open();
    traffic.drain();
    const verdict = await guard.verify(url);
    const exchange = traffic.drain().find(({ kind }) => kind === 'confirm');
    if (exchange === undefined) return { verdict };
    const { name, also, missing } = verdict;
    const known = name === 'phishing' || also.includes('phishing') ? 'unsafe' : 'safe';
    const said = missing.includes('phishing') ? 'unknown' : known;
    return { verdict, confirmation: { verdict: said, from: 'server', exchange } };
  },
};

export type GuardDesk = typeof desk;

expose(desk);
