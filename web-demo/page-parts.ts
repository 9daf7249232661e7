// The parts that every page of the demo has: the first lines of its head, its brand, and the navigation.

/** The pages in the order of the navigation. */
const PAGES = [
  ['index.html', 'Look up a host'],
  ['urls.html', 'URL check'],
  ['pages.html', 'Breached passwords'],
  ['calculator.html', 'Calculator'],
  ['figures.html', 'How each filter works'],
] as const;

/** The first lines of each head. */
export const headLines = (icon: string): string => `<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="Content-Security-Policy" content="script-src 'self' 'wasm-unsafe-eval'" />
    <link rel="icon" href="${icon}" type="image/svg+xml" />`;

/** The brand and the navigation for the page of that name. `documents` is the address of the documents. */
export function navigation(icon: string, page: string, documents: string): string {
  const links = PAGES.map(([name, label]) => {
    const current = name === page ? ' aria-current="page"' : '';
    return `<a href="./${name}"${current}>${label}</a>`;
  });
  return `<p class="brand">
        <img src="${icon}" alt="" width="28" height="28" />
        <span>tamis</span>
        <span class="brand-note">a drum sieve; filters for the web</span>
      </p>
      <nav class="pages" aria-label="Pages of this demo">
        ${links.join('\n        ')}
        <a class="to-documents" href="${documents}">Documentation</a>
      </nav>`;
}
