/** The address of a documentation page, with `*` for the page's name. vite.config.ts sets it. */
declare const DOCS_PAGES: string;
