// Messages between the page, the worker that holds the list, and the publisher's worker.
import type { CheckerAnswer, ManifestFields, UpdateResult, Verification } from 'tamis/url';
import type { Sizes } from '../figures-view';
import { name } from './published.json';

/** The list's name. The publisher signs it, and the checker accepts no other. */
export const LIST_NAME: string = name;

/** The list's address, and its publisher's key. */
export interface Source {
  readonly manifest: string;
  readonly confirm: string;
  readonly publicKey: string;
}

export type ExchangeKind = 'manifest' | 'jump' | 'delta' | 'snapshot' | 'confirm';

/** One request of the checker and its answer, with the sizes of their bodies in bytes. */
export interface Exchange {
  readonly kind: ExchangeKind;
  /** The body that was sent, in hexadecimal. */
  readonly sent: string;
  /** The status of the answer, or 0 if no answer arrived. */
  status: number;
  receivedBytes: number;
  /** True if a bit was flipped on the way. */
  isDamaged: boolean;
}

/** The kinds of files that the page's button damages on their way: every file of the list, or only some. */
export type Damage = 'files' | 'deltas' | 'manifest';

/** The report of a failed action. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** One search for a newer list, with any result. */
export interface Update {
  readonly atMs: number;
  readonly by: UpdateResult['by'] | 'refused';
  /** The version of the list in use afterwards. */
  readonly version: string | undefined;
  readonly entries: number;
  readonly manifestBytes: number;
  /** The bytes of jump, deltas and snapshot. */
  readonly listBytes: number;
  readonly files: number;
  readonly damaged: readonly ExchangeKind[];
  readonly failure?: Failure;
}

/** The list in use. */
export interface State {
  readonly version: string | undefined;
  readonly entries: number;
  /** The size in memory. */
  readonly sizeBytes: number;
  readonly ageMs: number | undefined;
  readonly isStale: boolean;
  readonly source: 'none' | 'storage' | 'network';
  /** The time from the call of `UrlChecker.open` to the first answer. */
  readonly openMs: number;
  /** The error of the last update, or of storing its list. */
  readonly failure?: Failure;
}

export interface Answers {
  readonly verdicts: readonly CheckerAnswer[];
  readonly ms: number;
}

/** The steps of looking up a URL. */
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
  /** The question, if one was asked. */
  readonly exchange: Exchange | undefined;
}

/** The state that the publisher reports. */
export interface PublisherState {
  /** The Ed25519 key in hexadecimal. An app has it in its code. Here each visitor has a publisher of their own. */
  readonly publicKey: string;
  readonly seq: number;
  readonly version: string;
  readonly entries: number;
  readonly sizes: Sizes;
  /** null: the history has ended. */
  readonly next: string | null;
}

/** The first version of the list. It was made before the page, so it contains no signature. */
export interface FirstList {
  readonly fields: Omit<ManifestFields, 'seq' | 'created' | 'notAfter'>;
  readonly sizes: Sizes;
  /** The name of the next version. */
  readonly next: string;
}

/** The sources of the publisher's versions. */
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

/** A request as the publisher received it, and its answer. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** The body, in hexadecimal. */
  readonly sent: string;
  readonly status: number;
  /** The bytes of the answer's body. */
  readonly bytes: number;
}
