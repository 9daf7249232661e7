// The interface of a list that the UrlGuard does not keep itself.

import type { CheckerAnswer, CheckerStatus } from '../client/list-verdicts.js';
import type { UpdateResult } from '../client/update-schedule.js';
import type { Verification } from '../client/url-checker.js';
import type { ListAction } from './policy.js';

/** The final verdict of a source on a URL. */
export interface SourceVerdict extends Verification {
  /** The action, if 'unsafe'; default: the source's action in the guard. */
  readonly action?: ListAction;
  /** The listed page, folder or host, if 'unsafe'. */
  readonly expression?: string;
  /** The threats, if 'unsafe'. */
  readonly threats?: readonly string[];
}

/** A list that another object keeps: SafeBrowsing of `tamis/safe-browsing`, a UrlChecker, or your own object. */
export interface ListSource {
  /** Answers synchronously. Only 'safe' means safe; 'unknown' means that the list is missing. */
  check(url: string): CheckerAnswer;
  /** Gives the final verdict. Rejects with the reason of `signal` when that aborts. */
  verify(url: string, options: { readonly signal: AbortSignal }): Promise<SourceVerdict>;
  readonly status: CheckerStatus;
  /** Updates the list. */
  update(): Promise<UpdateResult>;
  /** Calls `listener` after each switch to another version. Returns a function that removes it. */
  onUpdate(listener: (result: UpdateResult) => void): () => void;
}
