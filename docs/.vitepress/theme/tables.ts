// Tables that are wider than their box show on which side there is more.

/** The distance in pixels at which a box counts as scrolled to its end, since browsers round widths. */
const SLACK_PX = 1;

function markSides(box: HTMLElement): void {
  const left = box.scrollLeft;
  const right = box.scrollWidth - box.clientWidth - left;
  const sides = { start: left > SLACK_PX, end: right > SLACK_PX };
  for (const [side, hasMore] of Object.entries(sides))
    box.parentElement?.classList.toggle(`more-${side}`, hasMore);
}

let observer: ResizeObserver | undefined;

/** Follows the tables of the page that is open, and no others any more. */
export function watchTables(): void {
  observer?.disconnect();
  observer = new ResizeObserver((entries) => {
    for (const { target } of entries) markSides(target as HTMLElement);
  });
  for (const box of document.querySelectorAll<HTMLElement>('.table > .scroll')) {
    observer.observe(box);
    box.onscroll = () => markSides(box);
  }
}
