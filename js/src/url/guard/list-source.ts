// What a UrlGuard needs of a list that it does not keep itself.

import type { UpdateResult } from '../client/list-keeper.js';
import type { CheckerAnswer, CheckerStatus } from '../client/list-verdicts.js';
import type { Verification } from '../client/url-checker.js';
import type { ListAction } from './policy.js';

/** What a source says of a URL in the end. */
export interface SourceVerdict extends Verification {
  /** Of 'unsafe', what is done with it; default: the action of the source in the guard. */
  readonly action?: ListAction;
  /** Of 'unsafe', what is listed: the page, a folder or a host. */
  readonly expression?: string;
  /** Of 'unsafe', why. */
  readonly threats?: readonly string[];
}

/** A list that somebody else keeps: SafeBrowsing of `tamis/safe-browsing`, a UrlChecker, or a program of yours. */
export interface ListSource {
  /** At once. Only 'safe' means safe; 'unknown' is that the list is missing. */
  check(url: string): CheckerAnswer;
  /** In the end. It ends with the reason of `signal` when that aborts. */
  verify(url: string, options: { readonly signal: AbortSignal }): Promise<SourceVerdict>;
  readonly status: CheckerStatus;
  /** Looks for a newer list. */
  update(): Promise<UpdateResult>;
  /** Calls `listener` after each switch to another version; gives what ends that. */
  onUpdate(listener: (result: UpdateResult) => void): () => void;
}
