// js/scripts/build.mjs writes the version here, from package.json.
declare const TAMIS_VERSION: string;

/** The package's version. */
export const version: string = TAMIS_VERSION;
