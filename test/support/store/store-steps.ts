import fc from 'fast-check';
import type { StoreView, Transaction } from '../../../src/service/store/contract.ts';
import type { MaybePromise } from '../../../src/service/support/maybe-promise.ts';
import { lobbyMemberRecord, tokenRecord } from './records.ts';

export type ReadsAndWrites = StoreView & Pick<Transaction, 'put' | 'delete'>;

/** Something a work does; what it read is its result. */
export type Step = (work: ReadsAndWrites) => MaybePromise<unknown>;

const lobby = fc.constantFrom('1', '2', '10');
const user = fc.constantFrom('a', 'b', '\uff01', '😀');
const hash = fc.constantFrom('a', 'b', 'c', 'd');
const authorization = fc.constantFrom('1', '2');
const limit = fc.option(fc.nat(4));
const descending = fc.boolean();

/** Drops what is null: a query names only what it asks for. */
function query<T extends object>(fields: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as ReturnType<
    typeof query<T>
  >;
}

function step<T>(name: string, fields: fc.Arbitrary<T>, run: (work: ReadsAndWrites, fields: T) => unknown) {
  return fields.map((values): Step => {
    const made: Step = work => run(work, values);
    // What fast-check prints of a failing case.
    return Object.assign(made, { toString: () => `${name} ${JSON.stringify(values)}` });
  });
}

/** Steps over few keys, so that they meet: a composite key, an index on it, nullable indexes of text and of numbers. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  step('put member', fc.record({ lobby, user, flags: fc.nat(9) }), (work, { lobby, user, flags }) =>
    work.put('lobby_members', lobbyMemberRecord({ lobby_id: lobby, user_id: user, flags })),
  ),
  step('delete member', fc.record({ lobby, user }), (work, fields) =>
    work.delete('lobby_members', fields.lobby, fields.user),
  ),
  step('get member', fc.record({ lobby, user }), (work, fields) =>
    work.get('lobby_members', fields.lobby, fields.user),
  ),
  step(
    'list members',
    fc.record({ lobby, from: fc.option(user), upTo: fc.option(user), descending, limit }),
    (work, { lobby, ...rest }) => work.list('lobby_members', { equals: [lobby], ...query(rest) }),
  ),
  step('list by user', fc.record({ from: fc.option(user), upTo: fc.option(user), descending, limit }), (work, fields) =>
    work.list('lobby_members', { index: 'byUser', equals: ['1'], ...query(fields) }),
  ),
  step(
    'put token',
    fc.record({ hash, authorization_id: fc.option(authorization), expires_at_ms: fc.option(fc.nat(3)) }),
    (work, fields) => work.put('tokens', tokenRecord(fields)),
  ),
  step('delete token', hash, (work, hash) => work.delete('tokens', hash)),
  step('get token', hash, (work, hash) => work.get('tokens', hash)),
  step('list by authorization', fc.record({ authorization, descending, limit }), (work, { authorization, ...rest }) =>
    work.list('tokens', { index: 'byAuthorization', equals: [authorization], ...query(rest) }),
  ),
  step(
    'list by expiry',
    fc.record({ from: fc.option(fc.nat(3)), upTo: fc.option(fc.nat(3)), descending, limit }),
    (work, fields) => work.list('tokens', { index: 'byExpiry', ...query(fields) }),
  ),
  step('list all', fc.record({ descending, limit }), (work, fields) => work.list('tokens', query(fields))),
);
