/** Sources of keys that arrive one after another. */

/** The items as an async iterable. */
export async function* given<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

/** 100,000 keys. The signal aborts at key 5,000, and `isClosed` says if the source was closed. */
export function abortedHalfWay(reason: unknown) {
  const controller = new AbortController();
  const { signal } = controller;
  const source = { keys: keys(), signal, isClosed: false };
  async function* keys(): AsyncGenerator<string> {
    try {
      for (let i = 0; i < 100_000; i++) {
        if (i === 5000) controller.abort(reason);
        if (i > 60_000) throw new Error('read on');
        yield `key-${i}`;
      }
    } finally {
      source.isClosed = true;
    }
  }
  return source;
}

/** The items as a web stream. */
export function stream<T>(items: Iterable<T>): ReadableStream<T> {
  const iterator = items[Symbol.iterator]();
  return new ReadableStream<T>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}
