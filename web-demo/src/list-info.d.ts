/** vite.config.ts makes this module from the output of build-data.mjs. */
declare module 'virtual:list-info' {
  export const listInfo: import('./list').ListInfo;
}
