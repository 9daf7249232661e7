/** Made by vite.config.ts from what build-data.mjs wrote. */
declare module 'virtual:list-info' {
  export const listInfo: import('./list').ListInfo;
}
