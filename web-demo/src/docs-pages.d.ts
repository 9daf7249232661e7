/** The address of a page of the documentation, `*` for its name; vite.config.ts sets it. */
declare const DOCS_PAGES: string;
