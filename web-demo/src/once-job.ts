// What the page and the worker that builds from a list agree on.

/** A list to build from, as it was typed. */
export interface OnceJob {
  readonly type: string;
  readonly fpr: number;
  readonly list: string;
  readonly others: string;
}

/** What was built, as bytes for the page, and what the worker measured of it. */
export interface OnceBuilt {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ms: number;
  /** Keys that it denies, and excluded ones that it does not: both 0, or it is broken. */
  readonly missed: number;
  readonly alarms: number;
  readonly passed: number;
  readonly absentKeys: number;
}

/** One row of the comparison; a rate of 0 is exact. */
export interface Size {
  readonly name: string;
  readonly can: string;
  /** Of a type that is built once. */
  readonly isOnce: boolean;
  /** Of the list itself. */
  readonly isList: boolean;
  readonly bytes: number;
  readonly rate: number;
}

/** What the worker says: what it built or why it could not, then the sizes of all types. */
export type OnceFinding =
  | { readonly built: OnceBuilt }
  | { readonly refused: string }
  | { readonly sizes: readonly Size[]; readonly keys: number };

/** The lines that are keys: trimmed, without the empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
