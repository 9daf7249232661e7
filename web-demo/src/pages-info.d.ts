/** vite.config.ts makes this module from the output of build-pages.mjs. */
declare module 'virtual:pages-info' {
  export const pagesInfo: import('./pages/pages-info').PagesInfo;
}
