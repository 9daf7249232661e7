import type { Sizes } from '../figures-view';

/** What the publisher says of itself. */
export interface PublisherState {
  /** Ed25519, in hexadecimal. An app has it in its code; this page is told, since each start makes one. */
  readonly publicKey: string;
  readonly seq: number;
  readonly version: string;
  readonly entries: number;
  readonly sizes: Sizes;
  /** null: the history has come to its end. */
  readonly next: string | null;
}

async function ask(path: string, method: 'GET' | 'POST'): Promise<PublisherState> {
  const response = await fetch(path, { method });
  if (!response.ok) throw new Error(`${path}: the publisher said ${response.status}`);
  return response.json();
}

/** What is published now; without a network, what it was when there was one. */
export function loadPublisher(): Promise<PublisherState> {
  return ask('publisher', 'GET');
}

export function publishNext(): Promise<PublisherState> {
  return ask('publisher/next', 'POST');
}
