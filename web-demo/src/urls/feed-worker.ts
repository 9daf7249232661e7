// Reads feeds, and builds one list of them, away from the page's thread. Whoever wants to stop it ends the worker.
import { expose, type ProxyMarked, transfer } from 'comlink';
import { readFeed } from 'tamis/feeds';
import { type SkippedEntry, UrlListBuilder } from 'tamis/url';
import type { BuiltList, FeedJob, FeedOutcome } from './feed-job';

/** With 8 bytes a hit is the verdict, and no server is asked. */
const PREFIX_BYTES = 8;
const TELL_EVERY_MS = 100;

type Tell = ((share: number) => void) & ProxyMarked;

const builder = new UrlListBuilder({ prefixBytes: PREFIX_BYTES });

/** The file as it is read; tells from time to time how much of it was. */
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
  /** What came of a feed. One that failed leaves some of its entries behind: the worker is of no use then. */
  async add({ file, format }: FeedJob, tell: Tell): Promise<FeedOutcome> {
    const { skipped: before } = builder;
    const started = performance.now();
    const feed = readFeed(streamOf(file, tell), { format });
    let failure: string | undefined;
    try {
      await builder.addFeed(feed);
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    const { count, first } = builder.skipped;
    const example: SkippedEntry | undefined = first[before.count];
    return {
      report: feed.report,
      ms: performance.now() - started,
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
