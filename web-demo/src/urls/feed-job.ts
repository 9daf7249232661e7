// Messages between the page and the worker that reads feeds.
import type { FeedFormat, FeedReport } from 'tamis/feeds';

export interface FeedJob {
  readonly file: File;
  readonly format: FeedFormat | 'auto';
}

/** The result of a feed. With `failure`, it is the result up to that point. */
export interface FeedOutcome {
  readonly report: FeedReport;
  readonly ms: number;
  /** The entries that the list covers with more than they mean. */
  readonly widened: { readonly hosts: number; readonly pages: number };
  /** The number of entries that the list rejected, and the error text of the first one if it was kept. */
  readonly refused: number;
  readonly refusedExample?: string;
  readonly failure?: string;
}

/** A list in the form that a publisher takes. */
export interface BuiltList {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly entries: number;
  /** The number of hosts that the feeds except. */
  readonly excepted: number;
  /** The excepted hosts that are still in the list. */
  readonly unmet: readonly string[];
}
