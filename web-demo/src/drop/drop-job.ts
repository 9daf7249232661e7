// Messages between the page and the worker that builds from a file.

export interface DropJob {
  readonly file: File;
  readonly type: string;
  readonly fpr: number;
}

export type Phase = 'read' | 'build' | 'check';

export interface DropResult {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The number of distinct lines. */
  readonly keys: number;
  readonly textBytes: number;
  readonly gzipBytes: number;
  readonly buildMs: number;
  readonly missed: number;
  readonly falsePositives: number;
  readonly absentKeys: number;
  /** A line for trying the filter. */
  readonly sample: string;
}

/** A message of the worker: its progress from 0 to 1, and at the end the result or the reason for the failure. */
export type DropFinding =
  | { readonly phase: Phase; readonly share: number }
  | { readonly result: DropResult }
  | { readonly refused: string };
