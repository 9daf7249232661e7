/** vite.config.ts makes this module from the output of build-url-list.mjs. */
declare module 'virtual:first-list' {
  export const firstList: import('./urls/protocol').FirstList;
}
