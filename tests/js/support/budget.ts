/** The size and the seed of generative tests: small and fixed in npm test, whole and fresh in npm run test:long. */

/** True in npm run test:long, and wherever TAMIS_LONG=1 is set. */
export const isLong = process.env.TAMIS_LONG === '1';

/** npm run test:long prints its seed. */
export const seed = Number(process.env.TAMIS_SEED ?? 7);

/** The number of cases of a generative test, of which npm test makes the tenth part, or `few`. */
export const budget = (cases: number, few = Math.ceil(cases / 10)): number =>
  isLong ? cases : few;
