import type { Remote } from 'comlink';
import { hexOf } from '../format';
import type { Damage, Exchange, ExchangeKind } from './protocol';
import type { Wire } from './publisher-worker';

const DAMAGES: Readonly<Record<Damage, readonly ExchangeKind[]>> = {
  files: ['jump', 'delta', 'snapshot'],
  deltas: ['jump', 'delta'],
  manifest: ['manifest'],
};

function kindOf(url: string): ExchangeKind {
  const name = new URL(url).pathname.split('/').at(-1) ?? '';
  const kinds: readonly ExchangeKind[] = ['manifest', 'jump', 'delta', 'snapshot'];
  return kinds.find((kind) => name.startsWith(kind)) ?? 'confirm';
}

/**
 * `fetch` for a UrlChecker, which sends requests to the publisher's worker. It records them, can damage their answers,
 * and can be cut off.
 */
export class Traffic {
  isOffline = false;
  /** The publisher's end. */
  wire: Remote<Wire> | undefined;
  /** The kind of file to damage next. It is cleared once a file was damaged. */
  damage: Damage | undefined;
  #exchanges: Exchange[] = [];

  /** Returns the exchanges since the last call. */
  drain(): Exchange[] {
    return this.#exchanges.splice(0);
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const kind = kindOf(url);
    const sent = hexOf((init.body ?? new Uint8Array()) as Uint8Array);
    const exchange: Exchange = { kind, sent, status: 0, receivedBytes: 0, isDamaged: false };
    this.#exchanges.push(exchange);
    if (this.isOffline || !this.wire) throw new TypeError('cut off by the button of this page');
    const { method = 'GET', headers: given, body: question } = init;
    const { status, headers, body } = await this.wire.answer({
      url,
      method,
      headers: [...new Headers(given)],
      ...(question && { body: new Uint8Array(question as Uint8Array) }),
    });
    exchange.status = status;
    exchange.receivedBytes = body.length;
    if (this.damage && DAMAGES[this.damage].includes(kind) && body.length > 0) {
      const middle = body.length >> 1;
      body[middle] = (body[middle] ?? 0) ^ 1;
      exchange.isDamaged = true;
    }
    return new Response(status === 304 ? null : body, { status, headers });
  };
}
