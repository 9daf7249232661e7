import { type Remote, transfer } from 'comlink';
import type { BuiltList } from './feed-job';
import type { Confirmation, LookUp, Source } from './protocol';
import type { PublisherDesk } from './publisher-worker';
import type { UpdatesView } from './updates-view';

/** A connection to the publisher: the list's address, and its publisher's key. */
export interface Connection {
  readonly source: Source;
  /** The port to the publisher. */
  readonly port: MessagePort;
  /** Prepares the confirm server. */
  readonly prepare: () => Promise<void>;
}

/** Calls that a section receives when another section changes something. */
export interface PageEvents {
  /** Called after this page's list was opened, or searched for an update. */
  onUpdate(): void;
  /** Called when the publisher was cut off, or is reachable again. */
  onOffline(isOffline: boolean): void;
  /** Called when the visitor's list was replaced. */
  onOwnList(list: BuiltList | undefined): void;
}

/** Opens a channel to the publisher for a worker, and resolves to the worker's end. */
export async function connect(publisher: Remote<PublisherDesk>): Promise<MessagePort> {
  const { port1, port2 } = new MessageChannel();
  await publisher.connect(transfer(port1, [port1]));
  return port2;
}

/** The state that the sections of the page share. */
export class UrlsPage {
  readonly updates: UpdatesView;
  /** Opens a new connection for each call. */
  readonly connect: () => Promise<Connection>;
  /** Shows the question to the confirm server about a URL. */
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

  /** Tells a section the current state, and each later change. */
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
