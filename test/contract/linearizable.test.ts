import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, createBackend } from '../../src/backend/index.ts';
import { ApiError, TransportError } from '../../src/model/errors/errors.ts';
import type { Lobby, LobbyInput, LobbyMember, LobbyMemberChange, LobbyMemberInput } from '../../src/model/lobby.ts';
import type { LobbyId } from '../../src/model/snowflake.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { linearize, type Observed, type Specification } from '../support/gateway/linearizability.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { patienceMs } from '../support/runs/soak.ts';
import { tries } from '../support/runs/tries.ts';
import { starfall } from '../support/service/starfall.ts';

type Operation =
  | { readonly kind: 'edit'; readonly input: LobbyInput }
  | { readonly kind: 'put'; readonly user: string; readonly input: LobbyMemberInput }
  | { readonly kind: 'remove'; readonly user: string }
  | { readonly kind: 'bulk'; readonly changes: readonly LobbyMemberChange[] }
  | { readonly kind: 'delete' }
  | { readonly kind: 'get' };

/** What the caller was answered; as text, for that is how it is compared. */
type Result = string;
type State = Lobby | 'gone';

const unknown = 'unknown_lobby';
const done = 'done';

/** The interface's words about one lobby, one operation after another. */
function specificationOf(lobby: Lobby): Specification<State, Operation, Result> {
  return {
    initial: lobby,
    step(state, operation, result) {
      const { next, answer } = apply(state, operation);
      return result === undefined || result === answer ? next : undefined;
    },
    keyOf: state => (state === 'gone' ? state : textOf(state)),
  };
}

function apply(state: State, operation: Operation): { next: State; answer: Result } {
  if (operation.kind === 'delete') return { next: 'gone', answer: done };
  if (state === 'gone') return { next: state, answer: unknown };
  switch (operation.kind) {
    case 'get':
      return { next: state, answer: textOf(state) };
    case 'edit': {
      const { members, ...fields } = operation.input;
      const listed = members?.map(({ id, ...input }) => written(state, id, input));
      const next = { ...state, ...(fields as Partial<Lobby>), ...(listed && { members: listed }) };
      return { next, answer: textOf(next) };
    }
    case 'put': {
      const member = written(state, operation.user, operation.input);
      return { next: withChanges(state, [{ id: operation.user, ...operation.input }]), answer: textOfMember(member) };
    }
    case 'remove':
      return { next: withChanges(state, [{ id: operation.user, remove_member: true }]), answer: done };
    case 'bulk': {
      const upserted = operation.changes.filter(({ remove_member }) => !remove_member);
      const members = upserted.map(({ id, ...input }) => written(state, id, input));
      return { next: withChanges(state, operation.changes), answer: textOfMembers(members) };
    }
  }
}

function withChanges(lobby: Lobby, changes: readonly LobbyMemberChange[]): Lobby {
  const members = new Map(lobby.members.map(member => [member.id, member]));
  for (const { id, remove_member, ...input } of changes) {
    if (remove_member) members.delete(id);
    else members.set(id, written(lobby, id, input));
  }
  return { ...lobby, members: [...members.values()] };
}

function written({ members }: Lobby, id: string, input: LobbyMemberInput): LobbyMember {
  const { metadata = null, flags, additional_name = members.find(member => member.id === id)?.additional_name } = input;
  return { id, metadata, flags: flags ?? 0, ...(typeof additional_name === 'string' && { additional_name }) };
}

function textOf({ metadata, members }: Lobby): string {
  return `${JSON.stringify(metadata)} ${textOfMembers(members)}`;
}

function textOfMembers(members: readonly LobbyMember[]): string {
  return members.map(textOfMember).sort().join(' ');
}

function textOfMember({ id, metadata, flags, additional_name }: LobbyMember): string {
  return JSON.stringify([id, metadata, flags, additional_name]);
}

async function perform({ lobbies }: Backend, id: LobbyId, operation: Operation, signal: AbortSignal): Promise<Result> {
  switch (operation.kind) {
    case 'edit':
      return textOf(await lobbies.edit(id, operation.input, { signal }));
    case 'put':
      return textOfMember(await lobbies.putMember(id, operation.user, operation.input, { signal }));
    case 'remove':
      await lobbies.removeMember(id, operation.user, { signal });
      return done;
    case 'bulk':
      return textOfMembers((await lobbies.bulkMembers(id, operation.changes, { signal })).members);
    case 'delete':
      await lobbies.delete(id, { signal });
      return done;
    case 'get':
      return textOf(await lobbies.get(id, { signal }));
  }
}

/** An operation, and whether its caller gives up at once, so that nobody knows what became of it. */
interface Step {
  readonly operation: Operation;
  readonly givesUp: boolean;
}

const users = starfall.users.map(({ id }) => id);
const metadata = fc.option(fc.record({ v: fc.constantFrom('1', '2', '3') }));
const memberInput = fc.record(
  { metadata, flags: fc.constantFrom(0, 1), additional_name: fc.constantFrom('Bo', 'Jo', null) },
  { requiredKeys: [] },
) as fc.Arbitrary<LobbyMemberInput>;
const user = fc.constantFrom(...users);
const entries = fc.uniqueArray(
  fc.record({ id: user, metadata, flags: fc.constantFrom(0, 1) }, { requiredKeys: ['id'] }),
  { selector: ({ id }) => id },
);
const changes = fc.uniqueArray(
  fc.tuple(user, memberInput, fc.boolean()).map(([id, input, remove_member]) => ({ id, ...input, remove_member })),
  { selector: ({ id }) => id, minLength: 1 },
);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 30, arbitrary: fc.constant({ kind: 'get' } as const) },
  {
    weight: 15,
    arbitrary: fc
      .record({ metadata, members: entries }, { requiredKeys: [] })
      .map(input => ({ kind: 'edit', input: input as LobbyInput }) as const),
  },
  {
    weight: 25,
    arbitrary: fc.tuple(user, memberInput).map(([user, input]) => ({ kind: 'put', user, input }) as const),
  },
  { weight: 15, arbitrary: user.map(user => ({ kind: 'remove', user }) as const) },
  { weight: 10, arbitrary: changes.map(changes => ({ kind: 'bulk', changes }) as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'delete' } as const) },
);
const step: fc.Arbitrary<Step> = fc.record({
  operation,
  givesUp: fc.nat(19).map(n => n === 0),
});
const clients = 5;
const scripts = fc.array(fc.array(step, { minLength: 4, maxLength: 8 }), { minLength: clients, maxLength: clients });

/** Runs one script on each backend, all at once, and records what each saw. */
async function record(backends: readonly Backend[], id: LobbyId, scripts: readonly (readonly Step[])[]) {
  const history: Observed<Operation, Result>[] = [];
  let now = 0;
  const run = async (backend: Backend, script: readonly Step[]) => {
    for (const { operation, givesUp } of script) {
      const controller = new AbortController();
      const invokedAt = now++;
      const asked = perform(backend, id, operation, controller.signal).catch(resultOfFailure);
      if (givesUp) setImmediate(() => controller.abort());
      const result = await asked;
      const returnedAt = result === undefined ? Number.POSITIVE_INFINITY : now++;
      history.push({ operation, invokedAt, returnedAt, result });
    }
  };
  await Promise.all(backends.map((backend, i) => run(backend, scripts[i] ?? [])));
  return history;
}

function resultOfFailure(error: unknown): Result | undefined {
  if (error instanceof ApiError && error.code === unknown) return unknown;
  if (error instanceof TransportError && error.code === 'aborted') return undefined;
  throw error;
}

describe.each(['in memory', 'on disk'])('concurrent operations of several backends on one lobby, %s', place => {
  let service: Service;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let backends: readonly Backend[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const data = place === 'on disk' ? { data: folder.path } : {};
    service = await startService({ fixtures: starfall, limits: 'off', ...data });
    const { id: applicationId, bot_token: botToken } = starfall.applications[0];
    const options = { applicationId, botToken, baseUrl: service.webBase, globalLimit: 'off' } as const;
    backends = Array.from({ length: clients }, () => createBackend(options));
  });
  afterAll(async () => {
    for (const backend of backends) backend.close();
    await service.close();
    await folder.remove();
  });

  it(
    'take effect one after another, each between its call and its answer',
    async () => {
      let histories = 0;
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(scripts, async scripts => {
          const [first] = backends;
          const lobby = await first?.lobbies.create({ metadata: { v: '0' }, members: [{ id: users[0] ?? '' }] });
          if (!lobby) throw new Error('No backend.');
          const history = await record(backends, lobby.id, scripts);
          histories++;
          answered += history.filter(({ result }) => result !== undefined).length;
          expect(linearize(history, specificationOf(lobby)), describeHistory(history)).toBeDefined();
        }),
        // What the backends did in which order cannot be repeated, so there is nothing to shrink.
        { ...tries(25, 2_000), endOnFailure: true },
      );
      expect(answered).toBeGreaterThan(histories * clients);
    },
    patienceMs,
  );
});

function describeHistory(history: readonly Observed<Operation, Result>[]): string {
  const lines = history.map(({ operation, invokedAt, returnedAt, result }) =>
    [`${invokedAt}–${returnedAt}`, JSON.stringify(operation), '→', result].join(' '),
  );
  return `No order of these operations explains their answers:\n${lines.join('\n')}`;
}
