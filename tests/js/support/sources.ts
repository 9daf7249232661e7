/** Sources of keys that arrive one after another. */

/** The items as an async iterable. */
export async function* given<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
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
