import type { Issue } from '../../model/issue.ts';
import type { UserId } from '../../model/snowflake.ts';
import type { Entropy } from '../../wire/ports.ts';
import { hashPassword, signInNameOf } from '../oauth/password.ts';
import type { StoreView } from '../store/contract.ts';
import type { PasswordRecord, UserRecord } from '../store/records.ts';
import { issue } from './check.ts';
import type { UserFixture } from './fixtures-document.ts';
import type { FixturesPlan } from './fixtures-plan.ts';

/** User → what is kept of the password its fixture gives; null: it is to have none. Those not in here keep theirs. */
export type GivenPasswords = ReadonlyMap<UserId, string | null>;

/**
 * Hashes the passwords of a plan. Each takes tenths of a second on a thread beside: it must not be done while others
 * wait for the store.
 */
export async function hashPasswords(
  users: readonly (UserFixture & { readonly id: UserId })[],
  entropy: Entropy,
): Promise<GivenPasswords> {
  const given = users.flatMap(({ id, password }) => (password === undefined ? [] : [{ id, password }]));
  const hashed = given.map(
    async ({ id, password }) => [id, password === null ? null : await hashPassword(password, entropy)] as const,
  );
  return new Map(await Promise.all(hashed));
}

/** What the users of a plan sign in with from now on, by the names they have from now on. */
export function passwordRecords(
  users: readonly UserRecord[],
  known: ReadonlyMap<string, PasswordRecord>,
  given: GivenPasswords,
): readonly PasswordRecord[] {
  return users.flatMap(({ id, username }) => {
    const hash = given.has(id) ? given.get(id) : known.get(id)?.hash;
    return hash === null || hash === undefined ? [] : [{ user_id: id, name: signInNameOf(username), hash }];
  });
}

/** Every user of a plan whose name somebody else signs in with. */
export async function checkSignInNames(
  view: StoreView,
  { users }: FixturesPlan,
  passwords: readonly PasswordRecord[],
): Promise<Issue[]> {
  const places = new Map<UserId, string>(users.map(({ id }, index) => [id, String(index)]));
  const names = new Set<string>();
  const issues: Issue[] = [];
  for (const { user_id, name } of passwords) {
    const [before] = await view.list('passwords', { index: 'byName', equals: [name], limit: 1 });
    // Whoever is in the plan, too, has the name the plan gives.
    const stranger = before && !places.has(before.user_id) ? before.user_id : undefined;
    if (names.has(name) || stranger !== undefined) {
      issues.push(issue('taken', ['users', places.get(user_id) ?? '', 'username'], 'the name to sign in with'));
    }
    names.add(name);
  }
  return issues;
}
