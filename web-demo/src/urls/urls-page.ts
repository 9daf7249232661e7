import { type Remote, transfer } from 'comlink';
import type { BuiltList } from './feed-job';
import type { Confirmation, LookUp, Source } from './protocol';
import type { PublisherDesk } from './publisher-worker';
import type { UpdatesView } from './updates-view';

/** A way to the publisher: where its list is, and who signs it. */
export interface Connection {
  readonly source: Source;
  /** To the publisher. */
  readonly port: MessagePort;
  /** Makes the confirm server ready. */
  readonly prepare: () => Promise<void>;
}

/** What a section does if something changes in another. */
export interface PageEvents {
  /** The list of this page was opened, or looked for an update. */
  onUpdate(): void;
  /** The publisher was cut off, or is back. */
  onOffline(isOffline: boolean): void;
  /** The visitor's list is another. */
  onOwnList(list: BuiltList | undefined): void;
}

/** A channel to the publisher, for a worker that asks it; resolves to the worker's end. */
export async function connect(publisher: Remote<PublisherDesk>): Promise<MessagePort> {
  const { port1, port2 } = new MessageChannel();
  await publisher.connect(transfer(port1, [port1]));
  return port2;
}

/** What the sections of the page share. */
export class UrlsPage {
  readonly updates: UpdatesView;
  /** A connection of its own for each call. */
  readonly connect: () => Promise<Connection>;
  /** Shows what the confirm server was asked about a URL. */
  readonly showQuestion: (url: string, asked: Confirmation, lookUp?: LookUp) => Promise<void>;
  #events: PageEvents | undefined;
  #isOffline = false;
  #ownList: BuiltList | undefined;

  constructor(
    updates: UpdatesView,
    connect: UrlsPage['connect'],
    showQuestion: UrlsPage['showQuestion'],
  ) {
    this.updates = updates;
    this.connect = connect;
    this.showQuestion = showQuestion;
  }

  /** Tells a section what holds, and what changes from now on. */
  listen(events: PageEvents): void {
    this.#events = events;
    events.onOffline(this.#isOffline);
    events.onOwnList(this.#ownList);
  }

  tellUpdate(): void {
    this.#events?.onUpdate();
  }

  set isOffline(isOffline: boolean) {
    this.#isOffline = isOffline;
    this.#events?.onOffline(isOffline);
  }

  set ownList(list: BuiltList | undefined) {
    this.#ownList = list;
    this.#events?.onOwnList(list);
  }
}
