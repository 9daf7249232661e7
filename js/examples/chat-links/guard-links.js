// Links in messages open once the list has been asked about them.

const MATHML = 'http://www.w3.org/1998/Math/MathML';

/** Where an element leads; undefined where it is no link. `a` and `area` are, and SVG's `a`, and all of MathML. */
function addressOf(element) {
  const { localName, namespaceURI, href, baseURI } = element;
  if (localName !== 'a' && localName !== 'area' && namespaceURI !== MATHML) return undefined;
  if (typeof href === 'string') return element.hasAttribute('href') ? href : undefined;
  // Of SVG it is an object, which an animation changes; of MathML some browsers know the attribute alone.
  const address = href?.animVal ?? element.getAttribute('href');
  if (!address) return undefined;
  try {
    return new URL(address, baseURI).href;
  } catch {
    return address;
  }
}

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
    const link = event.composedPath().find((element) => addressOf(element) !== undefined);
    if (link === undefined) return;
    // Attributes, since those of SVG have no properties that are text.
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
    const address = addressOf(link);
    // `check` answers at once, so that what is safe needs no holding.
    if (checker?.check(address) === 'safe') return;
    event.preventDefault();
    hold(address);
  }

  // On the way down, where nothing in a message can stop it.
  container.addEventListener('click', onOpen, true);
  const onMiddle = (event) => {
    if (event.button === 1) onOpen(event);
  };
  container.addEventListener('auxclick', onMiddle, true);
}
