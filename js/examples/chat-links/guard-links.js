// Links in messages open only after the list was looked up.

const MATHML = 'http://www.w3.org/1998/Math/MathML';

/** The target of an element; undefined if it is not a link. Links are `a`, `area`, SVG's `a`, and all of MathML. */
function addressOf(element) {
  const { localName, namespaceURI, href, baseURI } = element;
  if (localName !== 'a' && localName !== 'area' && namespaceURI !== MATHML) return undefined;
  if (typeof href === 'string') return element.hasAttribute('href') ? href : undefined;
  // In SVG `href` is an object, which an animation changes. For MathML some browsers know only the attribute.
  const address = href?.animVal ?? element.getAttribute('href');
  if (!address) return undefined;
  try {
    return new URL(address, baseURI).href;
  } catch {
    return address;
  }
}

/**
 * Checks each link in `container` when it is opened. A link that is not on the list opens at once, as usual. A
 * link that hits waits for the confirm server. If it is not safe, it opens only if `ask` resolves to true.
 * `opening` is the promise of a UrlChecker whose `whenMissing` is 'unknown'. The context menu is the browser's own:
 * no page can stop a link that is opened from there.
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
      // The engine cannot check at all.
      .catch(() => ({ verdict: 'unknown' }));
    // If the user opens another link meanwhile, that one counts.
    if (newest !== url) return;
    newest = undefined;
    // Some seconds after a click, browsers no longer let it open a tab. Then another click is needed.
    const mayOpen = verdict === 'safe' && (navigator.userActivation?.isActive ?? true);
    if (!mayOpen && !(await ask(verdict, url))) return;
    window.open(url, '_blank', 'noopener,noreferrer');
  }

  function onOpen(event) {
    const link = event.composedPath().find((element) => addressOf(element) !== undefined);
    if (link === undefined) return;
    // These are attributes, since SVG's properties are not text.
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
    const address = addressOf(link);
    // `check` answers at once, so a safe link need not wait.
    if (checker?.check(address) === 'safe') return;
    event.preventDefault();
    hold(address);
  }

  // The listener captures the event on the way down, so nothing in a message can stop it.
  container.addEventListener('click', onOpen, true);
  const onMiddle = (event) => {
    if (event.button === 1) onOpen(event);
  };
  container.addEventListener('auxclick', onMiddle, true);
}
