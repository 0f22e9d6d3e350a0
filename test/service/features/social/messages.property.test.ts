import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DirectMessage, PartialDirectMessage } from '../../../../src/model/direct-message.ts';
import { relationshipTypes } from '../../../../src/model/relationship.ts';
import { RequestError } from '../../../../src/service/support/request-error.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { tries } from '../../../support/runs/tries.ts';
import { ada, ben, cyn, worldRuns } from '../support.ts';
import { heardOn, type MessagesRig, makeMessagesRig, topicsOf } from './rig.ts';

const { FRIEND, BLOCKED } = relationshipTypes;
const people = [ada, ben, cyn] as const;

const pair = fc.constantFrom<readonly [string, string]>(
  ...people.flatMap(a => people.filter(b => b !== a).map(b => [a, b] as const)),
);
type Step =
  | { do: 'send' | 'invite' | 'block' | 'befriend' | 'part'; who: readonly [string, string] }
  | { do: 'edit' | 'delete'; who: readonly [string, string]; which: number }
  | { do: 'play'; who: readonly [string, string]; party: string; isJoinable: boolean }
  | { do: 'enter' | 'leave'; who: readonly [string, string] }
  | { do: 'wait'; ms: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), who: pair }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('invite' as const), who: pair }) },
  fc.record({ do: fc.constantFrom('edit' as const, 'delete' as const), who: pair, which: fc.nat(20) }),
  fc.record({ do: fc.constantFrom('block' as const, 'befriend' as const, 'part' as const), who: pair }),
  fc.record({
    do: fc.constant('play' as const),
    who: pair,
    party: fc.constantFrom('a', 'b'),
    isJoinable: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom('enter' as const, 'leave' as const), who: pair }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 3_600_000, 6 * 3_600_000, 40 * 3_600_000) }),
);

interface Sent {
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
  readonly message: DirectMessage;
  content: string;
  isDeleted: boolean;
}

/** What was sent, edited and deleted, kept by the plainest means. */
class Story {
  readonly rig: MessagesRig;
  readonly sent: Sent[] = [];
  readonly blocks = new Set<string>();
  readonly parties = new Map<string, string | undefined>();
  readonly #leave = new Map<string, () => Promise<void>>();
  #count = 0;

  constructor(rig: MessagesRig) {
    this.rig = rig;
  }

  areBlocked(a: string, b: string): boolean {
    return this.blocks.has(`${a}/${b}`) || this.blocks.has(`${b}/${a}`);
  }

  async tell(one: Step): Promise<void> {
    const { rig } = this;
    if (one.do === 'wait') {
      await rig.core.clock.advance(one.ms);
      return;
    }
    const [a, b] = one.who;
    switch (one.do) {
      case 'send':
        return this.#send(a, b, { content: `message ${this.#count++}` });
      case 'invite':
        return this.#send(a, b, { activity: { type: 1 } });
      case 'edit':
      case 'delete':
        return this.#change(one.do, a, b, one.which);
      case 'play': {
        this.parties.set(a, one.isJoinable ? one.party : undefined);
        return rig.play(a, {
          party: { id: one.party, size: one.isJoinable ? [1, 4] : [4, 4] },
          secrets: { join: `secret of ${a} in ${one.party}` },
        });
      }
      case 'enter':
        if (!this.#leave.has(a)) this.#leave.set(a, await rig.enter(a));
        return;
      case 'leave':
        await this.#leave.get(a)?.();
        this.#leave.delete(a);
        return;
      default:
        this.blocks.delete(`${a}/${b}`);
        this.blocks.delete(`${b}/${a}`);
        if (one.do === 'block') this.blocks.add(`${a}/${b}`);
        return rig.relate(a, b, one.do === 'block' ? BLOCKED : one.do === 'befriend' ? FRIEND : undefined);
    }
  }

  async #send(from: string, to: string, body: { content?: string; activity?: object }): Promise<void> {
    const before = this.areBlocked(from, to);
    const message = await succeeded(this.rig.send(from, to, body));
    if (!message) return;
    expect(before).toBe(false);
    const atMs = this.rig.core.clock.now();
    this.sent.push({ from, to, atMs, message, content: body.content ?? '', isDeleted: false });
  }

  async #change(what: 'edit' | 'delete', a: string, b: string, which: number): Promise<void> {
    const own = this.sent.filter(({ from, to }) => from === a && to === b);
    const one = own[which % Math.max(1, own.length)];
    if (!one) return;
    const caller = await this.rig.caller(a);
    const content = `edited ${this.#count++}`;
    const { edit, remove } = this.rig.messages;
    const done =
      what === 'edit'
        ? await succeeded(edit(caller, b, one.message.id, { content }))
        : await succeeded(remove(caller, b, one.message.id).then(() => true));
    if (!done) return;
    expect(one.isDeleted).toBe(false);
    if (what === 'edit') {
      expect(this.areBlocked(a, b)).toBe(false);
      one.content = content;
    } else one.isDeleted = true;
  }

  /** The kept messages of two users that are shown now, newest first. */
  shown(a: string, b: string): { id: string; content: string }[] {
    const nowMs = this.rig.core.clock.now();
    return this.sent
      .filter(({ from, to }) => (from === a && to === b) || (from === b && to === a))
      .filter(({ message, isDeleted }) => message.channel_type === 1 && !isDeleted)
      .filter(({ atMs }) => nowMs - atMs <= serviceLimits.directHistoryAgeMaxMs)
      .map(({ message, content }) => ({ id: message.id, content }))
      .toReversed();
  }
}

/** Undefined when the service has rejected it. */
async function succeeded<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

describe('messages of some people over time', () => {
  it('the history is what was sent without what was deleted, in order; invites end; blocks hold', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async steps => {
      const rig = await makeMessagesRig();
      try {
        const story = new Story(rig);
        for (const user_id of people) {
          const grant = { id: `9${user_id}`, application_id: '1', user_id, scopes: [] };
          await rig.core.store.transact('grants', transaction => transaction.put('authorizations', grant));
        }
        const heard = new Map<string, Awaited<ReturnType<typeof heardOn>>>();
        for (const who of people) heard.set(who, await heardOn(rig.core, topicsOf(who).messages));
        for (const one of steps) await story.tell(one);

        for (const a of people) {
          for (const b of people.filter(other => other !== a)) await expectHistory(story, a, b);
          const received = (heard.get(a) ?? []).filter(({ event }) => event?.name === 'MESSAGE_CREATE');
          const expected = story.sent.filter(({ from, to }) => from === a || to === a);
          expect(received.map(({ d }) => d.id)).toEqual(expected.map(({ message }) => message.id));
        }
        for (const one of story.sent) if (one.message.activity) await expectSecret(story, one);
      } finally {
        await rig.core.store.close();
      }
    });
    await fc.assert(property, { ...tries(worldRuns(40), 3_000), endOnFailure: true });
  }, 600_000);
});

async function expectHistory(story: Story, a: string, b: string): Promise<void> {
  const text = await succeeded(story.rig.messages.list(await story.rig.caller(a), b, 200));
  const shown = JSON.parse(text ?? '[]') as PartialDirectMessage[];
  expect(shown.map(({ id, content }) => ({ id, content }))).toEqual(story.shown(a, b));
}

/** Any user tries any invite: only invited users get the secret, in time, and only of the party that they were invited to. */
async function expectSecret(story: Story, { from, to, atMs, message, isDeleted }: Sent): Promise<void> {
  const { rig } = story;
  for (const who of people) {
    const request = { userId: from, sessionId: `session-${from}`, applicationId: '1', messageId: message.id };
    const found = await succeeded(rig.messages.secrets.read(await rig.caller(who), request));
    const isInvited = who === to && !isDeleted && !story.areBlocked(from, to);
    const isInTime = rig.core.clock.now() - atMs < serviceLimits.activityInviteLifeMs;
    const isThere = story.parties.get(from) === message.activity?.party_id;
    expect(found !== undefined).toBe(isInvited && isInTime && isThere);
    if (found) expect(found.secret).toBe(`secret of ${from} in ${message.activity?.party_id}`);
  }
}
