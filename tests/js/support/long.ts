/** True where TAMIS_LONG=1 asks for all that takes long, as npm run test:long does. */
export const isLong = process.env.TAMIS_LONG === '1';
