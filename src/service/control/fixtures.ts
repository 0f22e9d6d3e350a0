import { ValidationError } from '../../model/errors.ts';
import type { Issue } from '../../model/issue.ts';
import type { Core } from '../core.ts';
import { announceNewBotToken, installationsOf, putGuild } from '../domain/guild-records.ts';
import { hashSecret } from '../secret.ts';
import type { StoreContent, Transaction } from '../store/contract.ts';
import { collectionNames } from '../store/keys.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { checkFixtures } from './check-fixtures.ts';
import { fillIn } from './fixtures-answer.ts';
import type { FilledFixtures, Fixtures } from './fixtures-document.ts';
import { checkSignInNames, hashPasswords } from './fixtures-passwords.ts';
import { assignOwners, type FixturesPlan, identify } from './fixtures-plan.ts';
import { type FixtureRecords, type Known, memberKey, recordsOf } from './fixtures-records.ts';
import { checkReferences, readKnown } from './fixtures-references.ts';
import { createSecretBook } from './secret-book.ts';

/** Furnishes the service. */
export interface FixtureKeeper {
  /**
   * Stores the fixtures given at the start, and remembers them for {@link FixtureKeeper.reset}. On a data folder that
   * was begun with the same document the ids generated then are taken again; without a document, the one it was begun
   * with is what a reset goes back to.
   *
   * @param document anything
   * @throws ValidationError with the faults of the document
   */
  begin(document?: unknown): Promise<FilledFixtures>;

  /**
   * Adds a document to what is there, all of it or nothing: what has the id of something known changes it.
   *
   * Our choice: an application that is there and whose secret the document leaves out keeps it, and the answer shows
   * it; only if it is known by its hash alone (after a restart) a new one takes its place.
   *
   * @param document anything
   * @throws ValidationError with the faults of the document
   */
  apply(document: unknown): Promise<FilledFixtures>;

  /** Goes back to the fixtures given at the start: same ids, same secrets, and beside them only the settings. */
  reset(): Promise<void>;
}

/** Registers the command that opens an Activity, for an application that has one. */
export interface LaunchCommands {
  ensureLaunch(application: ApplicationRecord): Promise<unknown>;
}

/** The lobbies of an application, which end when a publisher's application becomes its parent. @see lobbies.md 4 */
export interface ChildLobbies {
  removeAll(application: ApplicationRecord): Promise<void>;
}

/** What the service was begun with, as a setting keeps it. */
interface Beginning {
  /** SHA-256 of the document without its passwords, which a fast hash would give away; null when there was none. */
  readonly digest: string | null;
  /** The document with the ids it got, without secrets. */
  readonly plan: FixturesPlan;
  readonly records: FixtureRecords;
}

const settingName = 'fixtures';
const withoutFixtures: Beginning = {
  digest: null,
  plan: { applications: [], users: [], guilds: [] },
  records: { applications: [], users: [], passwords: [], guilds: [], guild_members: [] },
};

interface Storing {
  readonly replaceUnknownSecrets: boolean;
  /** More for the same transaction. */
  finish?(transaction: Transaction, plan: FixturesPlan, records: FixtureRecords): void;
}

export function createFixtures(core: Core, commands: LaunchCommands, lobbies: ChildLobbies): FixtureKeeper {
  const secrets = createSecretBook(core);
  const nextId = () => core.ids.next();
  let beginning = withoutFixtures;

  async function store(document: Fixtures, { replaceUnknownSecrets, finish }: Storing): Promise<FilledFixtures> {
    const identified = identify(document, nextId);
    const passwords = await hashPasswords(identified.users, core.entropy);
    const { plan, records, known } = await core.store.transact('fixtures', async transaction => {
      const known = await readKnown(transaction, identified);
      refuse(checkReferences(identified, known));
      const plan = assignOwners(identified, known, nextId);
      const settle = (application: (typeof plan.applications)[number], before?: ApplicationRecord) =>
        secrets.settle(application, before, replaceUnknownSecrets);
      const records = recordsOf(plan, known, core.clock.now(), settle, passwords);
      refuse(await checkSignInNames(transaction, plan, records.passwords));
      await putAll(transaction, records, known);
      finish?.(transaction, plan, records);
      return { plan, records, known };
    });
    await launchAll(newlyEmbedded(records, known));
    for (const child of newlyChildren(records, known)) await lobbies.removeAll(child);
    return fillIn(plan.guilds, records, secrets.reveal);
  }

  async function launchAll(applications: readonly ApplicationRecord[]): Promise<void> {
    for (const application of applications) await commands.ensureLaunch(application);
  }

  return {
    async begin(given) {
      const kept = ((await core.store.get('settings', settingName))?.value ?? withoutFixtures) as Beginning;
      beginning = kept;
      if (given === undefined) return { applications: [], users: [], guilds: [] };
      const document = readFixtures(given);
      const digest = digestOf(document);
      const again = kept.digest === digest;
      return store(again ? withSecretsOf(document, kept.plan) : document, {
        // Nobody may be reading the answer, so nothing that works is replaced.
        replaceUnknownSecrets: false,
        finish(transaction, plan, records) {
          beginning = again
            ? { ...kept, records: { ...kept.records, passwords: records.passwords } }
            : { digest, plan: withoutSecrets(plan), records };
          transaction.put('settings', { name: settingName, value: beginning });
        },
      });
    },

    async apply(given) {
      return store(readFixtures(given), { replaceUnknownSecrets: true });
    },

    async reset() {
      const settings = await core.store.list('settings');
      await core.store.load({
        ...emptyContent(),
        ...beginning.records,
        installations: installationsOf(beginning.records.guilds),
        settings: [...settings.filter(({ name }) => name !== settingName), { name: settingName, value: beginning }],
      });
      await launchAll(beginning.records.applications);
    },
  };
}

/** Applications that have their Activity from now on: whoever deleted the command that came with it meant it. */
function newlyEmbedded({ applications }: FixtureRecords, known: Known): readonly ApplicationRecord[] {
  return applications.filter(({ id, embedded }) => embedded && !known.applications.get(id)?.embedded);
}

/** Applications that were there and have another parent from now on. */
function newlyChildren({ applications }: FixtureRecords, known: Known): readonly ApplicationRecord[] {
  return applications.filter(({ id, parent_id }) => {
    const before = known.applications.get(id);
    return before && parent_id !== null && parent_id !== before.parent_id;
  });
}

function readFixtures(value: unknown): Fixtures {
  refuse(checkFixtures(value));
  // A copy of our own, without keys whose value is undefined.
  return JSON.parse(JSON.stringify(value)) as Fixtures;
}

// A wrong document of megabytes must not make an error of gigabytes.
const issuesShownMax = 100;

function refuse(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const more = issues.length - issuesShownMax;
  const rest = more > 0 ? [{ path: [], code: 'more', message: `and ${more} more` }] : [];
  throw new ValidationError('The fixtures document', [...issues.slice(0, issuesShownMax), ...rest]);
}

async function putAll(transaction: Transaction, records: FixtureRecords, known: Known): Promise<void> {
  for (const record of records.applications) {
    transaction.put('applications', record);
    const before = known.applications.get(record.id);
    if (before && before.bot_token_hash !== record.bot_token_hash) announceNewBotToken(transaction, record.id);
  }
  for (const record of records.users) transaction.put('users', record);
  for (const { user_id } of known.passwords.values()) transaction.delete('passwords', user_id);
  for (const record of records.passwords) transaction.put('passwords', record);
  const members = Map.groupBy(records.guild_members, ({ guild_id }) => guild_id);
  for (const guild of records.guilds) {
    const placed = (members.get(guild.id) ?? []).map(
      member => [known.members.get(memberKey(guild.id, member.user_id)), member] as const,
    );
    await putGuild(transaction, known.guilds.get(guild.id), guild, placed);
  }
}

function withoutSecrets(plan: FixturesPlan): FixturesPlan {
  const applications = plan.applications.map(({ bot_token: _, client_secret: __, ...application }) => application);
  const users = plan.users.map(({ password: _, ...user }) => user);
  return { ...plan, applications, users };
}

/** The plan that was made of `document`, with the document's secrets. */
function withSecretsOf({ applications = [], users = [] }: Fixtures, plan: FixturesPlan): Fixtures {
  return {
    ...plan,
    applications: plan.applications.map((application, at) => ({ ...applications[at], ...application })),
    users: plan.users.map((user, at) => ({ ...users[at], ...user })),
  };
}

function digestOf({ users, ...document }: Fixtures): string {
  const named = users?.map(({ password: _, ...user }) => user);
  return hashSecret(JSON.stringify({ ...document, ...(named && { users: named }) }));
}

function emptyContent(): StoreContent {
  return Object.fromEntries(collectionNames.map(name => [name, []])) as unknown as StoreContent;
}
