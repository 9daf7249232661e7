// The requests of a RemoteFilter when they leave the page, and their answers when they arrive.

/** One request, and its result so far. */
export interface Exchange {
  readonly url: string;
  /** The header Range. */
  readonly range: string | undefined;
  readonly startedMs: number;
  /** The status of the answer, or undefined before the answer begins. */
  status?: number;
  /** The header Content-Encoding of the answer. */
  encoding?: string;
  /** The bytes of the body that have arrived. */
  bytes: number;
  /** The duration, or undefined before the body has ended. */
  ms?: number;
  /** The bytes with the headers, as the browser counts them. undefined: the browser does not report them. */
  transferBytes?: number;
  /** The reason for a missing answer. */
  failure?: string;
  /** True if nobody waited for the rest. */
  isBrokenOff?: boolean;
  isDamaged: boolean;
  isCutOff: boolean;
}

/** `fetch` for a RemoteFilter: it records requests, can damage pages, and can be cut off from the network. */
export class Traffic {
  isOffline = false;
  isDamaging = false;
  readonly #onStart: (exchange: Exchange) => void;
  readonly #onChange: () => void;
  /** Requests whose size the browser has not reported yet. */
  readonly #open = new Set<Exchange>();

  /** `onStart` is called with each request, and `onChange` after each change of its result. */
  constructor(onStart: (exchange: Exchange) => void, onChange: () => void) {
    this.#onStart = onStart;
    this.#onChange = onChange;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#account(entry as PerformanceResourceTiming);
      this.#onChange();
    }).observe({ type: 'resource' });
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const range = new Headers(init.headers).get('Range') ?? undefined;
    const startedMs = performance.now();
    const isCutOff = this.isOffline;
    const exchange: Exchange = { url, range, startedMs, bytes: 0, isDamaged: false, isCutOff };
    this.#onStart(exchange);
    init.signal?.addEventListener('abort', () => {
      if (exchange.ms === undefined) exchange.isBrokenOff = true;
      this.#onChange();
    });
    try {
      if (isCutOff) throw new TypeError('cut off by the button of this page');
      this.#open.add(exchange);
      const response = await fetch(url, init);
      exchange.status = response.status;
      const encoding = response.headers.get('Content-Encoding');
      if (encoding !== null) exchange.encoding = encoding;
      this.#onChange();
      // The unchanged answer, passed through a counter.
      return new Response(response.body?.pipeThrough(this.#counter(exchange)), response);
    } catch (error) {
      // After a timeout, the reason of the signal says so.
      const { message } = Object(init.signal?.aborted ? init.signal.reason : error) as Error;
      exchange.failure = message;
      exchange.ms = performance.now() - startedMs;
      this.#onChange();
      throw error;
    }
  };

  #counter(exchange: Exchange): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (chunk, controller) => {
        if (this.isDamaging && exchange.range && !exchange.isDamaged && chunk.length > 0) {
          const middle = chunk.length >> 1;
          chunk[middle] = (chunk[middle] ?? 0) ^ 1;
          exchange.isDamaged = true;
        }
        exchange.bytes += chunk.length;
        this.#onChange();
        controller.enqueue(chunk);
      },
      flush: () => {
        exchange.ms = performance.now() - exchange.startedMs;
        this.#onChange();
      },
    });
  }

  /**
   * Stores the size that the browser measured for a request. Requests to one address are told apart by their start
   * time.
   */
  #account({ name, startTime, transferSize, decodedBodySize }: PerformanceResourceTiming): void {
    const distance = ({ startedMs }: Exchange): number => Math.abs(startedMs - startTime);
    const [found] = [...this.#open]
      .filter(({ url }) => url === name)
      .sort((one, other) => distance(one) - distance(other));
    if (found === undefined) return;
    this.#open.delete(found);
    // A browser that does not report sizes reports zeros only.
    if (transferSize > 0 || decodedBodySize > 0) found.transferBytes = transferSize;
  }
}
