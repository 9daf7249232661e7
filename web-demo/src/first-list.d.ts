/** Made by vite.config.ts from what build-url-list.mjs wrote. */
declare module 'virtual:first-list' {
  export const firstList: import('./urls/protocol').FirstList;
}
