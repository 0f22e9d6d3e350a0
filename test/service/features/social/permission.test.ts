import { describe, expect, it } from 'vitest';
import { decideMessage, type MessageFacts } from '../../../../src/service/features/social/messages/permission.ts';

const strangers: MessageFacts = {
  isBlocked: false,
  isRefused: false,
  recipientIsBanned: false,
  areFriends: false,
  areGameFriends: false,
  senderIsProvisional: false,
  recipientIsProvisional: false,
  senderIsInGame: false,
  recipientIsInGame: false,
  allowsGameFriends: true,
};
const everythingGood: MessageFacts = {
  ...strangers,
  areFriends: true,
  areGameFriends: true,
  senderIsInGame: true,
  recipientIsInGame: true,
};
const decide = (facts: Partial<MessageFacts>, base = strangers) => {
  const { rule: _, ...decision } = decideMessage({ ...base, ...facts });
  return decision.kind === 'rejected' ? decision.reason : decision.kind;
};
const names = Object.keys(strangers) as (keyof MessageFacts)[];
/** Every combination of facts. */
const all = Array.from(
  { length: 2 ** names.length },
  (_, bits) => Object.fromEntries(names.map((name, at) => [name, (bits & (1 << at)) !== 0])) as unknown as MessageFacts,
);

describe('who may write to whom', () => {
  it.each([
    ['friends with full accounts', { areFriends: true }, 'direct'],
    ['game friends with full accounts', { areGameFriends: true }, 'direct'],
    [
      'game friends outside the game, of whom the recipient wants no such messages',
      { areGameFriends: true, allowsGameFriends: false },
      'game_friend_messages_off',
    ],
    [
      'game friends in the game, of whom the recipient wants no such messages outside',
      { areGameFriends: true, allowsGameFriends: false, recipientIsInGame: true },
      'direct',
    ],
    [
      'friends who are game friends, too, of whom the recipient wants no messages of game friends',
      { areFriends: true, areGameFriends: true, allowsGameFriends: false },
      'direct',
    ],
    [
      'a provisional recipient in the game',
      { areFriends: true, recipientIsProvisional: true, recipientIsInGame: true },
      'direct',
    ],
    [
      'a provisional recipient outside the game',
      { areFriends: true, recipientIsProvisional: true, senderIsInGame: true },
      'provisional_user_offline',
    ],
    [
      'a provisional sender outside the game',
      { areFriends: true, senderIsProvisional: true, recipientIsInGame: true },
      'provisional_user_offline',
    ],
    [
      'a provisional sender in the game',
      { areGameFriends: true, senderIsProvisional: true, senderIsInGame: true },
      'direct',
    ],
    [
      'two provisional friends in the game',
      {
        ...{ areFriends: true, senderIsProvisional: true, recipientIsProvisional: true },
        ...{ senderIsInGame: true, recipientIsInGame: true },
      },
      'ephemeral',
    ],
    ['strangers in the game', { senderIsInGame: true, recipientIsInGame: true }, 'ephemeral'],
    ['strangers of whom one is in the game', { senderIsInGame: true }, 'no_mutual_guilds'],
    ['strangers outside the game', {}, 'no_mutual_guilds'],
  ] as const)('%s: %o is answered with %s', (_, facts, expected) => {
    expect(decide(facts)).toBe(expected);
  });

  it.each(['isBlocked', 'isRefused', 'recipientIsBanned'] as const)('no message passes when %s', name => {
    expect(decide({ [name]: true }, everythingGood)).toBe('cannot_send_to_user');
    const passed = all.filter(facts => facts[name] && decideMessage(facts).kind !== 'rejected');
    expect(passed).toEqual([]);
  });

  it('only messages of strangers, and of two provisional accounts, are ephemeral', () => {
    const ephemeral = all.filter(facts => decideMessage(facts).kind === 'ephemeral');
    expect(ephemeral.length).toBeGreaterThan(0);
    const kept = ephemeral.filter(facts => {
      const areStrangers = !facts.areFriends && !facts.areGameFriends;
      return !areStrangers && !(facts.senderIsProvisional && facts.recipientIsProvisional);
    });
    expect(kept).toEqual([]);
  });

  it('provisional accounts write and are written to only in the game', () => {
    const wrong = all.filter(facts => {
      if (decideMessage(facts).kind === 'rejected') return false;
      return (
        (facts.senderIsProvisional && !facts.senderIsInGame) ||
        (facts.recipientIsProvisional && !facts.recipientIsInGame)
      );
    });
    expect(wrong).toEqual([]);
  });
});
