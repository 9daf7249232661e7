// Reads feeds outside the page's thread, and builds one list from them. The page stops the work by ending the worker.

import { expose, type ProxyMarked, transfer } from 'comlink';
import { readFeed } from 'tamis/feeds';
import { type SkippedEntry, UrlListBuilder } from 'tamis/url';
import { messageOf } from '../format';
import type { BuiltList, FeedJob, FeedOutcome } from './feed-job';

/** With 8 bytes per entry, a hit is already the verdict, and no server is asked. */
const PREFIX_BYTES = 8;
const TELL_EVERY_MS = 100;

type Tell = ((share: number) => void) & ProxyMarked;

const builder = new UrlListBuilder({ prefixBytes: PREFIX_BYTES });

/** The file as a stream, which reports from time to time the share that was read. */
function streamOf(file: File, tell: Tell): ReadableStream<Uint8Array> {
  let read = 0;
  let toldMs = performance.now();
  return file.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        read += chunk.length;
        const now = performance.now();
        if (now - toldMs > TELL_EVERY_MS) {
          toldMs = now;
          tell(read / file.size);
        }
        controller.enqueue(chunk);
      },
    }),
  );
}

const desk = {
  /**
   * Reads a feed, and returns its result. A failed feed leaves some of its entries in the list, so the worker must then
   * be discarded.
   */
  async add({ file, format }: FeedJob, tell: Tell): Promise<FeedOutcome> {
    const { skipped: before, widened } = builder;
    const started = performance.now();
    const feed = readFeed(streamOf(file, tell), { format });
    let failure: string | undefined;
    try {
      await builder.addFeed(feed);
    } catch (error) {
      failure = messageOf(error);
    }
    const { count, first } = builder.skipped;
    const example: SkippedEntry | undefined = first[before.count];
    return {
      report: feed.report,
      ms: performance.now() - started,
      widened: {
        hosts: builder.widened.hosts - widened.hosts,
        pages: builder.widened.pages - widened.pages,
      },
      refused: count - before.count,
      ...(example && { refusedExample: example.message }),
      ...(failure !== undefined && { failure }),
    };
  },

  /** The list of all feeds so far. */
  build(): BuiltList {
    const list = builder.build();
    const bytes = list.toBytes();
    const built: BuiltList = {
      bytes,
      entries: list.count,
      excepted: builder.allowed.length,
      unmet: builder.unmet,
    };
    list.dispose();
    return transfer(built, [bytes.buffer]);
  },
};

export type FeedDesk = typeof desk;

expose(desk);
