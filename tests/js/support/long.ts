/** True if TAMIS_LONG=1 turns on the long tests, as npm run test:long does. */
export const isLong = process.env.TAMIS_LONG === '1';
