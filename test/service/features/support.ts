import type { Core } from '../../../src/service/core.ts';
import { type Announced, type Topic, topics, topicsIn } from '../../../src/service/events/announcement.ts';
import type { ApplicationRecord, ChannelRecord, GuildRecord, UserRecord } from '../../../src/service/store/records.ts';
import { snowflakeSource } from '../../../src/service/support/ids.ts';
import { PendingWork } from '../../../src/service/support/pending-work.ts';
import { RequestError } from '../../../src/service/support/request-error.ts';
import { everyonePermissions } from '../../../src/service/testing/fixtures/records.ts';
import { isShared } from '../../support/engines/is-shared.ts';
import { unsetUserFields } from '../../support/user-fields.ts';
import { makeCore } from '../control/support.ts';

export type TestCore = Awaited<ReturnType<typeof makeCore>>;

/**
 * Two applications and some users over a real store in memory, the real bus and virtual time; in `npm run test:engines` the store is
 * on PostgreSQL and the bus on Redis.
 */
export interface World {
  readonly core: TestCore;
  readonly starfall: ApplicationRecord;
  readonly rival: ApplicationRecord;
}

export const ada = '101';
export const ben = '102';
export const cyn = '103';
/** No user has this id. */
export const nobody = '999';

/** @param pendingWork virtual time waits for it */
export async function makeWorld(
  overrides: Partial<Omit<TestCore, 'clock'>> = {},
  pendingWork?: PendingWork,
): Promise<World> {
  const core = { ...(await (isShared && !overrides.store ? sharedCore : embeddedCore)(pendingWork)), ...overrides };
  const world = { core, starfall: applicationRecord('1'), rival: applicationRecord('2') };
  await core.store.transact('world', transaction => {
    for (const application of [world.starfall, world.rival]) transaction.put('applications', application);
    for (const id of [ada, ben, cyn]) transaction.put('users', userRecord(id));
  });
  return world;
}

function embeddedCore(pendingWork?: PendingWork): Promise<TestCore> {
  return makeCore('seed', ':memory:', pendingWork && (() => pendingWork.settled()));
}

async function sharedCore(pendingWork = new PendingWork()): Promise<TestCore> {
  const { openSharedParts } = await import('../../support/engines/shared-world.ts');
  const core = await embeddedCore(pendingWork);
  await core.store.close();
  return { ...core, ...(await openSharedParts(core.clock, pendingWork)) };
}

/** How often a property is tried that makes a world for each run: fewer times on PostgreSQL, where that takes a tenth of a second. */
export function worldRuns(usual: number): number {
  return isShared ? Math.ceil(usual / 10) : usual;
}

/** The same store, seen by a service that starts anew: nobody is connected, no timer is armed. */
export function restarted({ core }: World, bus: Core['bus']): TestCore {
  return { ...core, bus, ids: snowflakeSource(core.clock, 0) };
}

export function applicationRecord(id: string, fields: Partial<ApplicationRecord> = {}): ApplicationRecord {
  return {
    id,
    name: `app ${id}`,
    description: '',
    owner_id: ada,
    bot_token_hash: null,
    client_secret_hash: null,
    public_client: false,
    redirect_uris: [],
    bot_require_code_grant: false,
    install_params: null,
    embedded: false,
    discoverable: false,
    integration_types: [0],
    interactions_endpoint_url: null,
    event_webhooks_url: null,
    parent_id: null,
    bot_username: null,
    role_connection_metadata: [],
    provisional_accounts: true,
    identity_providers: [],
    verify_key: '',
    signing_key: '',
    ...fields,
  };
}

/** Ada's guild `5` with a text channel `7`. */
export function guildRecord(fields: Partial<GuildRecord> = {}): GuildRecord {
  const everyone = { id: '5', name: '@everyone', permissions: everyonePermissions, position: 0 };
  return {
    id: '5',
    name: 'Harbour',
    owner_id: ada,
    locale: 'en-US',
    applications: ['1'],
    roles: [everyone],
    channels: [channelRecord()],
    ...fields,
  };
}

export function channelRecord(fields: Partial<ChannelRecord> = {}): ChannelRecord {
  const plain = { id: '7', type: 0, name: 'general', nsfw: false, position: 0, parent_id: null };
  return { ...plain, permission_overwrites: [], ...fields };
}

/** Stores a guild and makes these users its members. */
export async function putGuild({ store }: Core, guild: GuildRecord, ...members: string[]): Promise<void> {
  await store.transact('guilds', transaction => {
    transaction.put('guilds', guild);
    for (const user_id of members) {
      transaction.put('guild_members', { guild_id: guild.id, user_id, roles: [], nick: null, joined_at_ms: 0 });
    }
  });
}

export function userRecord(id: string): UserRecord {
  return {
    id,
    username: `user${id}`,
    global_name: null,
    locale: 'en-US',
    adult: true,
    banned: false,
    provisional_of: null,
  };
}

/** A user of {@link makeWorld} as a lobby's dispatches show it: a member without anything of its own. */
export function gatewayMember(userId: string, connected = true) {
  const { id, username, global_name } = userRecord(userId);
  const user = { id, username, global_name, discriminator: '0', ...unsetUserFields };
  return { user_id: userId, user, metadata: null, flags: 0, connected };
}

/** Lets a player's session be there; the returned function takes it away. */
export async function enter(core: Core, applicationId: string, userId: string): Promise<() => Promise<void>> {
  const leave = await core.bus.enter(topics.player(applicationId, userId), `session of ${userId}`);
  return async () => leave();
}

export interface Heard {
  readonly name: string | undefined;
  readonly data: unknown;
  readonly announced: Announced;
}

/** What a player's session would hear: its own topic, and every topic it is told to follow. */
export async function listen(core: Core, applicationId: string, userId: string): Promise<Heard[]> {
  const heard: Heard[] = [];
  const following = new Map<Topic, () => void>();
  const hear = (announced: Announced) => {
    const { event, except, follow, unfollow } = announced;
    if (except !== userId && event) heard.push({ name: event.name, data: JSON.parse(event.data), announced });
    for (const topic of topicsIn(follow)) void attend(topic);
    for (const topic of topicsIn(unfollow)) {
      following.get(topic)?.();
      following.delete(topic);
    }
  };
  const attend = async (topic: Topic) => {
    following.get(topic)?.();
    following.set(topic, await core.bus.subscribe(topic, hear));
  };
  await attend(topics.player(applicationId, userId));
  return heard;
}

export function namesOf(heard: readonly Heard[]): (string | undefined)[] {
  return heard.map(({ name }) => name);
}

/** The reason a call is refused for, and where its issues are. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ reason: string; paths: string[]; fault: RequestError }> {
  const fault = await call.then(
    () => {
      throw new Error('The call was not refused.');
    },
    (error: unknown) => error,
  );
  if (!(fault instanceof RequestError)) throw fault;
  return { reason: fault.reason, paths: fault.issues.map(({ path }) => path.join('.')), fault };
}
