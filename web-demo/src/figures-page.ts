// Shows all figures on one page, and a picture of each type that has no figure.
import { byId, make } from './dom';
import { defineFigures, figureTypes } from './figures';

/** The pictures: the file's name, its title, what it shows, and the documentation page if that has another name. */
const PICTURES: readonly (readonly [string, string, string, string?])[] = [
  ['counting-bloom', 'Counting Bloom filter', 'Deleting a key lowers its counters.'],
  ['deletable-bloom', 'Deletable Bloom filter', 'Two keys share a bit in each locked region.'],
  ['tombstone-bloom', 'Tombstone Bloom filter', 'Tombstones hide a key that is in the set.'],
  ['scalable-bloom', 'Scalable Bloom filter', 'Each layer is larger and stricter than the last.'],
  ['rotating-bloom', 'Rotating Bloom filter', 'A look-up finds a key in the oldest generation.'],
  ['d-left-counting', 'd-left counting filter', 'A fingerprint is in one of its four buckets.'],
  ['ribbon', 'Ribbon filter', "The XOR of a key's slots is its fingerprint."],
  ['exact', 'Exact filter', 'The second sieve stops what passed the first by chance.'],
  ['bloomier', 'Bloomier map', 'The slots of a key give its value and a check.'],
  [
    'invertible-bloom-table',
    'Invertible Bloom table',
    'A key is alone in a cell after a subtraction.',
  ],
  ['url-wire', 'What crosses the wire', 'Five prefixes, of which four are decoys.', 'guide/urls'],
  ['url-update', 'An update of a URL list', 'A delta has 89 bytes.', 'guide/urls'],
  ['url-flip', 'A flipped bit', 'The digest in the manifest reveals it.', 'guide/urls'],
];

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
for (const [name, title, shows, page = `filters/${name}`] of PICTURES) {
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
