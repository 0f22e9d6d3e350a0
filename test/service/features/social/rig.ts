import type { DirectMessage } from '../../../../src/model/direct-message.ts';
import type { Activity } from '../../../../src/model/presence.ts';
import { type RelationshipType, relationshipTypes } from '../../../../src/model/relationship.ts';
import { type Announced, topics } from '../../../../src/service/events/announcement.ts';
import type { InviteSender } from '../../../../src/service/features/social/messages/invites.ts';
import {
  createDirectMessages,
  type DirectMessages,
  type MessageCaller,
} from '../../../../src/service/features/social/messages/messages.ts';
import { presentActivities } from '../../../../src/service/features/social/messages/present.ts';
import { sideOf } from '../../../../src/service/features/social/relationships/records.ts';
import { createWebhookEvents } from '../../../../src/service/features/webhooks/events.ts';
import type { ApplicationRecord, UserRecord } from '../../../../src/service/store/records.ts';
import { PendingWork } from '../../../../src/service/support/pending-work.ts';
import { applicationRecord, enter, makeWorld, type TestCore, userRecord, type World } from '../support.ts';

/** Messages over a real store and bus, without HTTP and gateway sessions. */
export interface MessagesRig {
  readonly world: World;
  readonly core: TestCore;
  readonly messages: DirectMessages;
  caller(userId: string, application?: ApplicationRecord | null): Promise<MessageCaller>;
  send(from: string, to: string, content: string | object): Promise<DirectMessage>;
  /** Both become this to each other; undefined: nothing. */
  relate(a: string, b: string, type?: RelationshipType): Promise<void>;
  relateInGame(a: string, b: string): Promise<void>;
  /** What the user plays, by the session of this id. */
  play(userId: string, activity?: Partial<Activity>, sessionId?: string): Promise<void>;
  stopPlaying(userId: string): Promise<void>;
  /** Makes the user a provisional account of Starfall. */
  makeProvisional(userId: string): Promise<void>;
  enter(userId: string): Promise<() => Promise<void>>;
  put(...users: UserRecord[]): Promise<void>;
}

const party = { id: 'party', size: [1, 4] as const };
const joinable: Activity = {
  name: 'Starfall',
  type: 0,
  application_id: '1',
  party,
  secrets: { join: 'secret' },
};

export async function makeMessagesRig(overrides: Partial<Omit<TestCore, 'clock'>> = {}): Promise<MessagesRig> {
  const pendingWork = new PendingWork();
  const world = await makeWorld(overrides, pendingWork);
  const { core } = world;
  const webhookEvents = createWebhookEvents(core, pendingWork);
  await webhookEvents.start();
  const messages = createDirectMessages(core, { webhookEvents, present: presentActivities });
  await messages.start();
  const userOf = async (id: string): Promise<UserRecord> => {
    const user = await core.store.get('users', id);
    if (!user) throw new Error(`There is no user ${id}.`);
    return user;
  };
  const caller = async (userId: string, application: ApplicationRecord | null = world.starfall) => ({
    user: await userOf(userId),
    application,
    mayWrite: true,
  });
  const put = async (...users: UserRecord[]) => {
    await core.store.transact('users', transaction => {
      for (const user of users) transaction.put('users', user);
    });
  };
  return {
    ...{ world, core, messages, caller, put },
    async send(from, to, content) {
      const body = typeof content === 'string' ? { content } : content;
      return JSON.parse(await messages.send(await caller(from), to, body)) as DirectMessage;
    },
    async relate(a, b, type) {
      await core.store.transact(`social/${BigInt(a) < BigInt(b) ? a : b}`, transaction => {
        const sides =
          type === relationshipTypes.BLOCKED
            ? [[a, b]]
            : [
                [a, b],
                [b, a],
              ];
        for (const [x = '', y = ''] of [
          [a, b],
          [b, a],
        ])
          transaction.delete('relationships', x, y);
        if (type === undefined || type === 0) return;
        for (const [user_id = '', target_id = ''] of sides) {
          const rest = { since_ms: 0, nickname: null, note: null, origin_application_id: null };
          transaction.put('relationships', { user_id, target_id, type, ...rest });
        }
      });
    },
    async relateInGame(a, b) {
      await core.store.transact(`social/${a}`, transaction => {
        for (const [user_id, target_id] of [
          [a, b],
          [b, a],
        ] as const) {
          const pair = sideOf(user_id, target_id);
          transaction.put('game_relationships', { user_id, family_id: '1', target_id, pair, type: 1, since_ms: 0 });
        }
      });
    },
    async play(user_id, activity = {}, id = `session-${user_id}`) {
      const shown = { family_id: '1', activity: { ...joinable, ...activity } };
      await core.store.transact(`presence/${user_id}`, transaction => {
        transaction.put('social_presences', {
          ...{ user_id, revision: transaction.revision },
          sessions: [
            {
              ...{ id, application_id: '1', family_id: '1', status: 'online', status_set_at: 0 },
              client: { client: 'desktop', os: 'linux', version: 0 },
              activities: [shown],
            },
          ],
        });
      });
    },
    async stopPlaying(user_id) {
      await core.store.transact(`presence/${user_id}`, transaction => {
        transaction.delete('social_presences', user_id);
      });
    },
    async makeProvisional(userId) {
      await put({ ...(await userOf(userId)), provisional_of: '1' });
    },
    enter: userId => enter(core, '1', userId),
  };
}

/** What is announced on a topic. */
export async function heardOn(core: TestCore, topic: string): Promise<(Announced & { d: Record<string, unknown> })[]> {
  const heard: (Announced & { d: Record<string, unknown> })[] = [];
  await core.bus.subscribe(topic, announced => {
    if (announced.event) heard.push({ ...announced, d: JSON.parse(announced.event.data) });
  });
  return heard;
}

export const topicsOf = (userId: string) => ({
  messages: topics.directMessages(userId),
  invites: topics.invites(userId),
});

export { applicationRecord, type InviteSender, userRecord };
