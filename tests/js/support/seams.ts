/** Options that only tests use, so the published types lack them: the clock, and random numbers. */
export interface Seams {
  readonly now?: () => number;
  readonly random?: () => number;
}

/** Casts these options, so that they can be spread into an object of options. */
export const seams = (options: Seams): object => options;
