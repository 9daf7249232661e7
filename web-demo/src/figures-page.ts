// Shows all figures on one page, and a picture of each type that has no figure.
import { pictures } from 'virtual:pictures';
import { byId, make } from './dom';
import { defineFigures, figureTypes } from './figures';

/** Those of URLs: the file's name, its title and what it shows. */
const OF_URLS = [
  ['url-wire', 'What crosses the wire', 'Five prefixes, of which four are decoys.'],
  ['url-update', 'An update of a URL list', 'A delta has 89 bytes.'],
  ['url-flip', 'A flipped bit', 'The digest in the manifest reveals it.'],
] as const;

const files = import.meta.glob<string>('../pictures/*.svg', {
  eager: true,
  query: '?url',
  import: 'default',
});

defineFigures({ listUrl: `${import.meta.env.BASE_URL}phishing.tamis` });
for (const type of figureTypes) {
  const figure = document.createElement('tamis-figure');
  figure.setAttribute('type', type);
  byId('figures', HTMLElement).append(figure);
}
function show(name: string, title: string, shows: string, page: string): void {
  const figure = make('figure');
  const image = make('img');
  image.loading = 'lazy';
  image.alt = shows;
  image.src = files[`../pictures/${name}.svg`] as string;
  const caption = make('figcaption');
  const link = make('a', '', title);
  link.href = DOCS_PAGES.replace('*', page);
  caption.append(link);
  figure.append(image, caption);
  byId('pictures', HTMLElement).append(figure);
}
for (const { name, page, title, shows } of pictures) show(name, title, shows, `filters/${page}`);
for (const [name, title, shows] of OF_URLS) show(name, title, shows, 'guide/urls');
