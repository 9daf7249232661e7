// The folded part of a page of a class, which opens when a link leads into it.
import './members.css';

/** Unfolds the part that the address names, and scrolls to it. */
export function unfoldTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target?.closest('details');
  if (!target || !fold || fold.open) return;
  fold.open = true;
  target.scrollIntoView();
}

/** Unfolds after each click of a link, too: one to the same anchor again does not change the address. */
export function watchLinks(): void {
  window.addEventListener('hashchange', unfoldTarget);
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a[href*="#"]')) unfoldTarget();
  });
}
