// What vite.config.ts adds to the pages: modules from the output of the build-*.mjs scripts, and an address.
declare module 'virtual:first-list' {
  export const firstList: import('./urls/protocol').FirstList;
}
declare module 'virtual:list-info' {
  export const listInfo: import('./list').ListInfo;
}
declare module 'virtual:pages-info' {
  export const pagesInfo: import('./pages/pages-info').PagesInfo;
}
/** The address of a documentation page, with `*` for the page's name. */
declare const DOCS_PAGES: string;
