// What the page and the worker that reads feeds agree on.
import type { FeedFormat, FeedReport } from 'tamis/feeds';

export interface FeedJob {
  readonly file: File;
  readonly format: FeedFormat | 'auto';
}

/** What came of a feed; with `failure`, what came until then. */
export interface FeedOutcome {
  readonly report: FeedReport;
  readonly ms: number;
  /** Entries that the list refused, and what it said of the first, where that was kept. */
  readonly refused: number;
  readonly refusedExample?: string;
  readonly failure?: string;
}

/** A list, as a publisher takes it. */
export interface BuiltList {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly entries: number;
  /** Hosts that the feeds except. */
  readonly excepted: number;
  /** Those of them that the list has all the same. */
  readonly unmet: readonly string[];
}
