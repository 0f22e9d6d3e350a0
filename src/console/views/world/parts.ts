/** The parts of the world, as its tabs and addresses name them. */
export const parts = ['applications', 'users', 'guilds', 'sessions', 'fixtures'] as const;
export type Part = (typeof parts)[number];

/** What every part is given. */
export interface PartProps {
  readonly openId: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}
