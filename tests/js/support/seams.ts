/** Options that only tests have, so the types that ship lack them: the clock, and chance. */
export interface Seams {
  readonly now?: () => number;
  readonly random?: () => number;
}

/** For an object of options, which may name none of them. */
export const seams = (options: Seams): object => options;
