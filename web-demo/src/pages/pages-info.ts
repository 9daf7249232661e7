/** What build-pages.mjs wrote beside the pages. */
export interface PagesInfo {
  /** The Ed25519 key that signed the manifest: a constant of this program, which the host cannot change. */
  readonly publicKey: string;
  readonly keys: number;
  readonly pages: number;
  readonly stride: number;
  readonly fpr: number;
  readonly textBytes: number;
  /** Of one filter that has the whole list. */
  readonly filterBytes: number;
  readonly picks: {
    readonly listed: readonly string[];
    readonly good: readonly string[];
    /** On no list, and on the page of the first listed one. */
    readonly neighbour: string;
    /** On no list, and a false positive. */
    readonly unlucky: string;
  };
}
