// What the page and the worker that holds the list tell one another.
import type { CheckerAnswer, UpdateResult, Verification } from 'tamis/url';

/** Where the list comes from, and who signs it. */
export interface Source {
  readonly manifest: string;
  readonly confirm: string;
  readonly publicKey: string;
}

export type ExchangeKind = 'manifest' | 'delta' | 'snapshot' | 'confirm';

/** One request of the checker and its answer, in bytes of their bodies. */
export interface Exchange {
  readonly kind: ExchangeKind;
  /** The body that was sent, in hexadecimal. */
  readonly sent: string;
  /** 0: no answer came. */
  status: number;
  receivedBytes: number;
  /** Whether a bit was flipped on the way. */
  isDamaged: boolean;
}

/** What the page's button damages on its way: every file of the list, or less. */
export type Damage = 'files' | 'deltas' | 'manifest';

/** What a failed action says. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** One look for a newer list, whatever came of it. */
export interface Update {
  readonly atMs: number;
  readonly by: UpdateResult['by'] | 'refused';
  /** Of the list in use afterwards. */
  readonly version: string | undefined;
  readonly entries: number;
  readonly manifestBytes: number;
  /** Of deltas and snapshot. */
  readonly listBytes: number;
  readonly files: number;
  readonly damaged: readonly ExchangeKind[];
  readonly failure?: Failure;
}

/** The list in use. */
export interface State {
  readonly version: string | undefined;
  readonly entries: number;
  /** In memory. */
  readonly sizeBytes: number;
  readonly ageMs: number | undefined;
  readonly isStale: boolean;
  readonly source: 'none' | 'storage' | 'network';
  /** From the call of `UrlChecker.open` to the first answer. */
  readonly openMs: number;
  /** The last update or storing failed so. */
  readonly failure?: Failure;
}

export interface Answers {
  readonly verdicts: readonly CheckerAnswer[];
  readonly ms: number;
}

/** How a URL is looked up. */
export interface LookUp {
  readonly canonical: string;
  readonly expressions: readonly {
    readonly text: string;
    /** SHA-256, in hexadecimal. */
    readonly hash: string;
    readonly isHit: boolean;
  }[];
}

export interface Confirmation extends Verification {
  /** The question, where one was asked. */
  readonly exchange: Exchange | undefined;
}
