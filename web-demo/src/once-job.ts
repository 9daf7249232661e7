// Messages between the page and the worker that builds from a list.

/** A list to build from, as typed. */
export interface OnceJob {
  readonly type: string;
  readonly fpr: number;
  readonly list: string;
  readonly others: string;
}

/** The result as bytes for the page, and the worker's measurements of it. */
export interface OnceBuilt {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ms: number;
  /** The number of keys that it denies, and of excluded keys that it does not deny. Anything but 0 is a bug. */
  readonly missed: number;
  readonly alarms: number;
  readonly passed: number;
  readonly absentKeys: number;
}

/** One row of the comparison. A rate of 0 means an exact answer. */
export interface Size {
  readonly name: string;
  readonly can: string;
  /** True for a type that is built once. */
  readonly isOnce: boolean;
  /** True for the list itself. */
  readonly isList: boolean;
  readonly bytes: number;
  readonly rate: number;
}

/** A message of the worker: first the result or the reason for the failure, then the sizes of all types. */
export type OnceFinding =
  | { readonly built: OnceBuilt }
  | { readonly refused: string }
  | { readonly sizes: readonly Size[]; readonly keys: number };

/** The lines that are keys: they are trimmed, and empty lines are dropped. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
