// What the page, the worker that holds the list and the publisher's worker tell one another.
import type { CheckerAnswer, ManifestFields, UpdateResult, Verification } from 'tamis/url';
import type { Sizes } from '../figures-view';
import { name } from './published.json';

/** The list's name: the publisher signs it, and the checker believes no other. */
export const LIST_NAME: string = name;

/** Where the list comes from, and who signs it. */
export interface Source {
  readonly manifest: string;
  readonly confirm: string;
  readonly publicKey: string;
}

export type ExchangeKind = 'manifest' | 'jump' | 'delta' | 'snapshot' | 'confirm';

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
  /** Of jump, deltas and snapshot. */
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

/** What the publisher says of itself. */
export interface PublisherState {
  /** Ed25519, in hexadecimal. An app has it in its code; each visitor of this page has a publisher. */
  readonly publicKey: string;
  readonly seq: number;
  readonly version: string;
  readonly entries: number;
  readonly sizes: Sizes;
  /** null: the history has come to its end. */
  readonly next: string | null;
}

/** The first version of the list, which was made before the page was: no signature is in it. */
export interface FirstList {
  readonly fields: Omit<ManifestFields, 'seq' | 'created' | 'notAfter'>;
  readonly sizes: Sizes;
  /** The name of the version after it. */
  readonly next: string;
}

/** Where the publisher finds what its versions are made of. */
export interface Material {
  readonly first: FirstList;
  /** The address of the first version's file. */
  readonly firstUrl: string;
  readonly historyUrl: string;
}

/** A request on its way to the publisher's worker. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: [string, string][];
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A request as the publisher got it, and its answer. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** The body, in hexadecimal. */
  readonly sent: string;
  readonly status: number;
  /** Of the answer's body. */
  readonly bytes: number;
}
