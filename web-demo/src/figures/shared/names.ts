import type { Choice } from './model';

/** A name of each kind to try: one in the set, and two of `tries`, by the answers of a filter, which is then disposed. */
export function findPicks(
  filter: { has(name: string): boolean; dispose(): void },
  member: string,
  tries: readonly string[],
): readonly Choice[] {
  const has = (name: string) => filter.has(name);
  const found: readonly [string | undefined, string][] = [
    [member, 'in the set'],
    [tries.find((name) => !has(name)), 'not in the set'],
    [tries.find(has), 'a false positive'],
  ];
  filter.dispose();
  return found.flatMap(([value, kind]) =>
    value === undefined ? [] : [{ value, label: `${value} (${kind})` }],
  );
}

/** The names that are in the figures' filters, in the order in which they are added. */
export const members: readonly string[] = [
  'Ada',
  'Alan',
  'Annie',
  'Barbara',
  'Claude',
  'Donald',
  'Edsger',
  'Frances',
  'Grace',
  'Hedy',
  'Ivan',
  'Jean',
  'Joan',
  'John',
  'Katherine',
  'Ken',
  'Linus',
  'Margaret',
  'Niklaus',
  'Radia',
  'Robin',
  'Tim',
];

/** Names that are in no filter until a figure adds them. */
export const others: readonly string[] = [
  'Zoe',
  'Adele',
  'Bjarne',
  'Carol',
  'Dennis',
  'Elena',
  'Fei',
  'Guido',
  'Hal',
  'Ida',
  'James',
  'Karen',
  'Leslie',
  'Mary',
  'Noor',
  'Olga',
  'Peter',
  'Quentin',
  'Ruth',
  'Sophie',
  'Tony',
  'Ursula',
  'Vint',
  'Wendy',
  'Xavier',
  'Yukihiro',
  'Zara',
  'Amir',
  'Bela',
  'Chen',
  'Dora',
  'Emil',
  'Farah',
  'Gita',
  'Hugo',
  'Ines',
  'Jonas',
  'Kofi',
  'Lena',
  'Milan',
  'Nina',
  'Omar',
  'Pablo',
  'Rosa',
  'Sven',
  'Tara',
  'Uma',
  'Viktor',
  'Wanda',
  'Yara',
];
