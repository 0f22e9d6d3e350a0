import type { ApiErrorName } from '../../../../model/errors/errors.ts';
import type { ApplicationId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { UserRecord } from '../../../store/records.ts';
import { familyOfId, isInGame } from '../family.ts';
import { areFriends, areGameFriends, hasAuthorized, isBlockedBetween } from '../relationships/records.ts';

/** What decides whether one user may write to another. */
export interface MessageFacts {
  readonly isBlocked: boolean;
  /** The recipient has switched messages from games off, or receives them only from users of an own game. */
  readonly isRefused: boolean;
  readonly recipientIsBanned: boolean;
  /** Friends everywhere. */
  readonly areFriends: boolean;
  readonly areGameFriends: boolean;
  readonly senderIsProvisional: boolean;
  readonly recipientIsProvisional: boolean;
  /** They have a session with the game, or with another of the same publisher. */
  readonly senderIsInGame: boolean;
  readonly recipientIsInGame: boolean;
  /** The recipient receives messages of game friends outside the game. */
  readonly allowsGameFriends: boolean;
}

/** `direct`: the message is kept; `ephemeral`: it is only delivered. */
export type MessageDecision = { readonly rule: string } & (
  | { readonly kind: 'direct' | 'ephemeral' }
  | { readonly kind: 'rejected'; readonly reason: ApiErrorName }
);

interface Rule {
  readonly name: string;
  applies(facts: MessageFacts): boolean;
  readonly decision: 'direct' | 'ephemeral' | ApiErrorName;
}

const areFriendsOfAnyKind = ({ areFriends, areGameFriends }: MessageFacts) => areFriends || areGameFriends;

/**
 * The first rule that applies decides. It holds for sending, editing and inviting alike.
 *
 * @see docs/spec/social.md#who-may-write-to-whom
 */
const rules: readonly Rule[] = [
  { name: 'blocked', applies: facts => facts.isBlocked, decision: 'cannot_send_to_user' },
  { name: 'banned', applies: facts => facts.recipientIsBanned, decision: 'cannot_send_to_user' },
  { name: 'refused', applies: facts => facts.isRefused, decision: 'cannot_send_to_user' },
  {
    name: 'friends',
    applies: facts => facts.areFriends && !facts.senderIsProvisional && !facts.recipientIsProvisional,
    decision: 'direct',
  },
  {
    name: 'provisional recipient not in the game',
    applies: facts => areFriendsOfAnyKind(facts) && facts.recipientIsProvisional && !facts.recipientIsInGame,
    decision: 'provisional_user_offline',
  },
  {
    name: 'provisional sender not in the game',
    applies: facts => areFriendsOfAnyKind(facts) && facts.senderIsProvisional && !facts.senderIsInGame,
    decision: 'provisional_user_offline',
  },
  {
    name: 'game friend refused outside the game',
    applies: facts =>
      areFriendsOfAnyKind(facts) &&
      !facts.areFriends &&
      !facts.recipientIsProvisional &&
      !facts.recipientIsInGame &&
      !facts.allowsGameFriends,
    decision: 'game_friend_messages_off',
  },
  {
    name: 'provisional friends',
    applies: facts => areFriendsOfAnyKind(facts) && facts.senderIsProvisional && facts.recipientIsProvisional,
    decision: 'ephemeral',
  },
  { name: 'friends of any kind', applies: areFriendsOfAnyKind, decision: 'direct' },
  {
    name: 'both in the game',
    applies: facts => facts.senderIsInGame && facts.recipientIsInGame,
    decision: 'ephemeral',
  },
  { name: 'strangers', applies: () => true, decision: 'no_mutual_guilds' },
];

/** Decides whether one user may write to another, and names the rule by which. */
export function decideMessage(facts: MessageFacts): MessageDecision {
  for (const { name: rule, applies, decision } of rules) {
    if (!applies(facts)) continue;
    return decision === 'direct' || decision === 'ephemeral'
      ? { rule, kind: decision }
      : { rule, kind: 'rejected', reason: decision };
  }
  throw new Error('The last rule always applies.');
}

/** @param familyId of the application by whose session the message is sent; null: by the sender's own client */
export async function readMessageFacts(
  { bus }: Pick<Core, 'bus'>,
  view: StoreView,
  sender: UserRecord,
  recipient: UserRecord,
  familyId: ApplicationId | null,
): Promise<MessageFacts> {
  const pair = [sender.id, recipient.id] as const;
  const [isBlocked, areFullFriends, areFriendsInGame, settings] = await Promise.all([
    isBlockedBetween(view, ...pair),
    areFriends(view, ...pair),
    familyId !== null && areGameFriends(view, familyId, ...pair),
    view.get('social_settings', recipient.id),
  ]);
  const { slayer_sdk_receive_dms_in_game: receives = 0, allow_game_friend_dms_in_discord: allowsGameFriends = true } =
    settings?.settings ?? {};
  // A provisional account has no other game than its own.
  const inGame = async ({ id, provisional_of }: UserRecord) => {
    const game = familyId ?? (provisional_of === null ? null : await familyOfId(view, provisional_of));
    return game !== null && isInGame(bus, view, id, game);
  };
  const [senderIsInGame, recipientIsInGame] = await Promise.all([inGame(sender), inGame(recipient)]);
  return {
    isBlocked,
    isRefused:
      receives === receiving.nobody ||
      (receives === receiving.usersWithGame &&
        familyId !== null &&
        !(await hasAuthorized(view, familyId, recipient.id))),
    recipientIsBanned: recipient.banned,
    areFriends: areFullFriends,
    areGameFriends: areFriendsInGame,
    senderIsProvisional: sender.provisional_of !== null,
    recipientIsProvisional: recipient.provisional_of !== null,
    senderIsInGame,
    recipientIsInGame,
    allowsGameFriends,
  };
}

/** Values of the setting `slayer_sdk_receive_dms_in_game` that refuse messages. */
const receiving = { usersWithGame: 2, nobody: 3 } as const;
