/** Made by vite.config.ts from what build-pages.mjs wrote. */
declare module 'virtual:pages-info' {
  export const pagesInfo: import('./pages/pages-info').PagesInfo;
}
