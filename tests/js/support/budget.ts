/** Size and seed of generative tests: small and fixed in npm test, large and random in npm run test:long. */

/** True in npm run test:long, or if TAMIS_LONG=1 is set. */
export const isLong = process.env.TAMIS_LONG === '1';

/** The seed of the run, which npm run test:long prints. */
export const seed = Number(process.env.TAMIS_SEED ?? 7);

/** The number of cases for a generative test. npm test makes only a tenth of `cases`, or `few`. */
export const budget = (cases: number, few = Math.ceil(cases / 10)): number =>
  isLong ? cases : few;
