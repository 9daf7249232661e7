// Shows all figures on one page.
import { byId } from './dom';
import { defineFigures, figureTypes } from './figures';

defineFigures({ listUrl: `${import.meta.env.BASE_URL}phishing.tamis` });
for (const type of figureTypes) {
  const figure = document.createElement('tamis-figure');
  figure.setAttribute('type', type);
  byId('figures', HTMLElement).append(figure);
}
