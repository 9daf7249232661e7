import type { DefaultTheme } from 'vitepress';

type Item = DefaultTheme.SidebarItem;

/** The first page of a group. */
function firstPage({ items = [], ...item }: Item): Item | undefined {
  return item.link ? item : items.map(firstPage).find((page) => page !== undefined);
}

/**
 * Folds every group of the sidebar but that of the page that is open, so that the names of all groups are in view. The
 * name of a group is a link to its first page, because VitePress's button for a group without a link has another button
 * in it.
 */
export function foldGroups(groups: readonly Item[]): Item[] {
  return groups.map((group) => {
    const first = firstPage(group);
    const link = { link: first?.link ?? '', docFooterText: first?.text ?? '' };
    return { ...link, ...group, collapsed: true };
  });
}
