import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../../../src/model/errors/errors.ts';
import { readMessage } from '../../../src/sdk/lobby/message-reader.ts';
import { failedMessagesMax, Outbox } from '../../../src/sdk/lobby/outbox.ts';
import type { LobbyMessageSnapshot, OutgoingMessageSnapshot } from '../../../src/sdk/lobby/snapshot.ts';
import { tries } from '../../support/runs/tries.ts';

const self = '9';

function message(id: number, content: string, authorId = self): LobbyMessageSnapshot {
  const read = readMessage({ id: String(id), lobby_id: '5', content, author: { id: authorId, username: 'ada' } });
  if (!read) throw new Error('The message of the test cannot be read.');
  return read;
}

function draft(id: string, content: string): OutgoingMessageSnapshot {
  return { ...message(1, content), id, key: id, status: 'pending', error: undefined };
}

const lost = new TransportError('connection_lost', 'The connection was lost.');
const rejected = new ApiError('No.', { status: 403, apiCode: 50001, route: 'POST /', issues: [] });
const view = (list: readonly { readonly content: string; readonly status: string }[]) =>
  list.map(({ content, status }) => `${content} ${status}`);

describe('Outbox', () => {
  it('returns the list itself while nothing is outgoing', () => {
    const messages = [message(2, 'hello')];
    expect(new Outbox().merge(messages, self)).toBe(messages);
  });

  it('takes a message for the outgoing one only if it is newer, by the player, with the same text', () => {
    const outbox = new Outbox();
    const before = [message(2, 'hello')];
    outbox.add(draft('a', 'hello'), before);
    expect(view(outbox.merge(before, self))).toEqual(['hello sent', 'hello pending']);
    const others = [...before, message(3, 'hello', '10'), message(4, 'other')];
    expect(view(outbox.merge(others, self)).at(-1)).toBe('hello pending');
    expect(view(outbox.merge([...others, message(5, 'hello')], self)).at(-1)).toBe('hello sent');
  });

  it('shows an answered message in its place until the gateway delivers it', () => {
    const outbox = new Outbox();
    outbox.add(draft('a', 'mine'), []);
    outbox.sent('a', message(3, 'mine'));
    const newer = [message(2, 'first', '10'), message(4, 'last', '10')];
    expect(view(outbox.merge(newer, self))).toEqual(['first sent', 'mine sent', 'last sent']);
    const all = [...newer, message(3, 'mine')].sort((a, b) => Number(a.id) - Number(b.id));
    expect(view(outbox.merge(all, self))).toEqual(['first sent', 'mine sent', 'last sent']);
  });

  it('returns the list of before when nothing that it shows has changed: delivered, then answered', () => {
    const outbox = new Outbox();
    outbox.add(draft('a', 'mine'), []);
    const messages = [message(3, 'mine')];
    const delivered = outbox.merge(messages, self);
    outbox.sent('a', message(3, 'mine'));
    expect(outbox.merge(messages, self)).toBe(delivered);
    expect(outbox.merge([...messages], self)).toBe(delivered);
    expect(Object.isFrozen(delivered)).toBe(true);
  });

  it('keeps what is pending or failed when the messages of the service are forgotten', () => {
    const outbox = new Outbox();
    for (const id of ['a', 'b', 'c']) outbox.add(draft(id, id), []);
    outbox.sent('a', message(3, 'a'));
    outbox.failed('b', rejected);
    expect(view(outbox.merge([], self))).toEqual(['a sent', 'b failed', 'c pending']);
    outbox.forget();
    expect(view(outbox.merge([], self))).toEqual(['b failed', 'c pending']);
  });

  it('keeps the metadata that was sent while the answer, which has none, is all that came', () => {
    const outbox = new Outbox();
    outbox.add({ ...draft('a', 'mine'), metadata: { emote: 'wave' } }, []);
    outbox.sent('a', message(3, 'mine'));
    expect(outbox.merge([], self)).toMatchObject([{ id: '3', metadata: { emote: 'wave' } }]);
  });

  it('keeps the key of an entry when its message gets an id, before and after the answer', () => {
    const outbox = new Outbox();
    const keys = (...list: readonly LobbyMessageSnapshot[]) => outbox.merge(list, self).map(({ key }) => key);
    outbox.add(draft('a', 'mine'), []);
    outbox.add(draft('b', 'mine'), []);
    expect(keys()).toEqual(['a', 'b']);
    const [first, other, second] = [message(3, 'mine'), message(4, 'theirs', '10'), message(5, 'mine')];
    expect(keys(first, other)).toEqual(['a', '4', 'b']);
    outbox.sent('a', first);
    expect(keys(first, other)).toEqual(['a', '4', 'b']);
    outbox.sent('b', second);
    expect(keys(first, other)).toEqual(['a', '4', 'b']);
    const shown = [first, other, second];
    expect(keys(...shown)).toEqual(['a', '4', 'b']);
    expect(outbox.merge(shown, self)).toBe(outbox.merge(shown, self));
    expect(outbox.merge([...shown], self)[0]).toBe(outbox.merge(shown, self)[0]);
  });

  it('gives a key back that a message had by mistake: every key is there once', () => {
    const outbox = new Outbox();
    outbox.add(draft('a', 'hello'), []);
    const elsewhere = message(3, 'hello');
    expect(outbox.merge([elsewhere], self).map(({ key }) => key)).toEqual(['a']);
    outbox.failed('a', rejected);
    expect(outbox.merge([elsewhere], self).map(({ key }) => key)).toEqual(['3', 'a']);
  });

  it('forgets keys of messages that are gone', () => {
    const outbox = new Outbox();
    outbox.add(draft('a', 'mine'), []);
    outbox.sent('a', message(3, 'mine'));
    outbox.merge([message(3, 'mine')], self);
    const later = [message(4, 'theirs', '10')];
    expect(outbox.merge(later, self)).toEqual(later);
    expect(outbox.merge(later, self)).toBe(later);
  });

  it('keeps a rejected message although another one has its text', () => {
    const outbox = new Outbox();
    outbox.add(draft('a', 'hello'), []);
    outbox.failed('a', rejected);
    expect(view(outbox.merge([message(2, 'hello')], self))).toEqual(['hello sent', 'hello failed']);
  });

  it(`keeps the ${failedMessagesMax} newest failed messages`, () => {
    const outbox = new Outbox();
    for (let i = 0; i <= failedMessagesMax; i++) {
      outbox.add(draft(String(i), `line ${i}`), []);
      outbox.failed(String(i), rejected);
    }
    const list = outbox.merge([], self);
    expect([list.length, list[0]?.content]).toEqual([failedMessagesMax, 'line 1']);
    expect([outbox.take('0'), outbox.take('1')?.content, outbox.take('1')]).toEqual([undefined, 'line 1', undefined]);
  });

  it('shows each message once, whatever the order of deliveries and answers', () => {
    const step = fc.record({
      text: fc.constantFrom('a', 'b'),
      /** What comes first: the delivery, the answer, or a failure although the service has the message. */
      first: fc.constantFrom('delivery', 'answer', 'lost', 'rejected'),
      by: fc.constantFrom('self', 'other'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), steps => {
        const outbox = new Outbox();
        const messages: LobbyMessageSnapshot[] = [];
        const expected = new Map<string, number>();
        const count = (text: string) => expected.set(text, (expected.get(text) ?? 0) + 1);
        const check = () => {
          const list = outbox.merge([...messages], self);
          for (const text of ['a', 'b']) {
            expect(list.filter(({ content }) => content === text)).toHaveLength(expected.get(text) ?? 0);
          }
        };
        // All are called at once; the service takes them one after another.
        const own = steps.filter(({ by }) => by === 'self');
        for (const [place, { text }] of own.entries()) {
          outbox.add(draft(String(place), text), messages);
          count(text);
        }
        check();
        let place = 0;
        for (const [turn, { text, first, by }] of steps.entries()) {
          const delivered = message(turn + 2, text, by === 'self' ? self : '10');
          if (by === 'other') {
            messages.push(delivered);
            count(text);
            check();
            continue;
          }
          const id = String(place++);
          const answer = () => outbox.sent(id, delivered);
          const deliver = () => messages.push(delivered);
          const fail = () => outbox.failed(id, lost);
          if (first === 'rejected') outbox.failed(id, rejected);
          else {
            const order =
              first === 'delivery' ? [deliver, answer] : first === 'answer' ? [answer, deliver] : [fail, deliver];
            for (const act of order) {
              act();
              check();
            }
          }
          check();
        }
        const failed = own.filter(({ first }) => first === 'rejected').length;
        const list = outbox.merge([...messages], self);
        expect(list.filter(({ status }) => status === 'failed')).toHaveLength(failed);
        expect(list.filter(({ status }) => status === 'pending')).toEqual([]);
      }),
      tries(300, 20_000),
    );
  });
});
