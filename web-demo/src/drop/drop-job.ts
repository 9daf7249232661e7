// What the page and the worker that builds from a file agree on.

export interface DropJob {
  readonly file: File;
  readonly type: string;
  readonly fpr: number;
}

export type Phase = 'read' | 'build' | 'check';

export interface DropResult {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Distinct lines. */
  readonly keys: number;
  readonly textBytes: number;
  readonly gzipBytes: number;
  readonly buildMs: number;
  readonly missed: number;
  readonly falsePositives: number;
  readonly absentKeys: number;
  /** A line to try the filter with. */
  readonly sample: string;
}

/** What the worker says: how far it is, from 0 to 1, and in the end what it built or why it did not. */
export type DropFinding =
  | { readonly phase: Phase; readonly share: number }
  | { readonly result: DropResult }
  | { readonly refused: string };
