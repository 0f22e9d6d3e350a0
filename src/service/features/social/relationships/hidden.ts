import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { topics } from '../../../events/announcement.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { GameRelationshipRecord } from '../../../store/records.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { familyOfId } from '../family.ts';
import { readPair, relationshipScope, type Side, writePair } from './changes.ts';
import { createAuthorizedCheck } from './records.ts';

/** Pairs whose transactions run together. */
const pairsTogether = 50;

/** The same relationship, seen by both users or by neither. */
export function hide(game: GameRelationshipRecord, isHidden: boolean): GameRelationshipRecord {
  const { is_hidden: _, ...rest } = game;
  return isHidden ? { ...rest, is_hidden: true } : rest;
}

/**
 * Hides the relationships of a user in a game whose authorization was withdrawn, and shows them when it is given again. In a cluster
 * every node does so; the first one leaves nothing to do.
 *
 * @see docs/spec/social.md#relationships-of-accounts-that-change
 */
export interface WithdrawnGames {
  /** The returned function stops it. */
  start(): Promise<() => void>;
}

/** Whose authorization of what has changed: a notice on the topic {@link topics.authorizations}. */
interface Parties {
  readonly user_id: UserId;
  readonly application_id: ApplicationId;
}

export function createWithdrawnGames(core: Core, pendingWork: PendingWork): WithdrawnGames {
  const { store, bus, clock, log } = core;

  async function settle({ user_id, application_id }: Parties): Promise<void> {
    const family = await familyOfId(store, application_id);
    const games = await store.list('game_relationships', { equals: [user_id, family] });
    for (let at = 0; at < games.length; at += pairsTogether) {
      await Promise.all(games.slice(at, at + pairsTogether).map(settleOne));
    }
  }

  /** Reads the authorizations within the pair's scope, so that the last change of them decides. */
  async function settleOne({ user_id, target_id, family_id }: GameRelationshipRecord): Promise<void> {
    const { scope, guards } = relationshipScope(user_id, target_id);
    const work = async (transaction: Transaction) => {
      const users = await Promise.all([transaction.get('users', user_id), transaction.get('users', target_id)]);
      // What an account has that was merged goes to the full account.
      if (!users[0] || !users[1]) return;
      const isPlayer = createAuthorizedCheck(transaction, family_id);
      const isHidden = !(await isPlayer(user_id)) || !(await isPlayer(target_id));
      const before = await readPair(transaction, user_id, target_id);
      const settled = ({ full, games }: Side): Side => {
        const game = games.get(family_id);
        if (!game || (game.is_hidden === true) === isHidden) return { full, games };
        return { full, games: new Map([...games, [family_id, hide(game, isHidden)]]) };
      };
      await writePair(transaction, users, before, [settled(before[0]), settled(before[1])], clock.now());
    };
    await store.transact(scope, work, guards);
  }

  return {
    async start() {
      const cancel = await bus.subscribe(topics.authorizations, ({ notice }) => {
        pendingWork
          .run(() => settle(notice as Parties))
          .catch((error: unknown) => {
            log.error({ error }, 'Relationships of a game that was withdrawn or authorized again were not updated.');
          });
      });
      return () => cancel();
    },
  };
}
