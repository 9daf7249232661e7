/** The description that build-pages.mjs wrote next to the pages. */
export interface PagesInfo {
  /** The Ed25519 key that signed the manifest. It is a constant of this program, so the host cannot change it. */
  readonly publicKey: string;
  readonly keys: number;
  readonly pages: number;
  readonly stride: number;
  readonly fpr: number;
  readonly textBytes: number;
  /** The bytes of one filter for the whole list. */
  readonly filterBytes: number;
  readonly picks: {
    readonly listed: readonly string[];
    readonly good: readonly string[];
    /** A password that is on no list. It shares a page with the first listed password. */
    readonly neighbour: string;
    /** A password that is on no list, and is a false positive. */
    readonly unlucky: string;
  };
}
