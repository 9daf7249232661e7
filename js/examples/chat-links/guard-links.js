// Links in messages open once the list has been asked about them.

/**
 * Looks at each link in `container` when it is opened. What is not on the list opens as ever, at once. What
 * hits is held while the confirm server is asked; what is not safe then opens only if `ask` resolves to
 * true. `opening` is the promise of a UrlChecker whose `onMissing` is 'unknown'. The context menu is the
 * browser's own: no page can hold what is opened from there.
 */
export function guardLinks(container, opening, ask) {
  let checker;
  opening.then(
    (opened) => {
      checker = opened;
    },
    () => {},
  );
  let newest;

  async function hold(url) {
    newest = url;
    const { verdict } = await opening
      .then((opened) => opened.verify(url))
      // An engine that cannot check at all.
      .catch(() => ({ verdict: 'unknown' }));
    // Whoever opens another link meanwhile wants that one.
    if (newest !== url) return;
    newest = undefined;
    // Some seconds after a click browsers let it open nothing more; then another one is needed.
    const mayOpen = verdict === 'safe' && (navigator.userActivation?.isActive ?? true);
    if (!mayOpen && !(await ask(verdict, url))) return;
    window.open(url, '_blank', 'noopener,noreferrer');
  }

  function onOpen(event) {
    const link = event.target.closest('a[href]');
    if (link === null) return;
    // `check` answers at once, so that what is safe needs no holding.
    if (checker?.check(link.href) === 'safe') return;
    event.preventDefault();
    hold(link.href);
  }

  container.addEventListener('click', onOpen);
  // The middle button.
  container.addEventListener('auxclick', (event) => {
    if (event.button === 1) onOpen(event);
  });
  for (const link of container.querySelectorAll('a[href]')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
}
