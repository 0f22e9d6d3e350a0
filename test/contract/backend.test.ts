import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  ArgumentError,
  type Backend,
  type BackendOptions,
  createBackend,
  RateLimitError,
  type ReceivedInteraction,
  TransportError,
  traitsUnknown,
  ValidationError,
} from '../../src/backend/index.ts';
import { type CommandInput, commandTypes } from '../../src/model/command.ts';
import { apiErrors } from '../../src/model/errors/errors.ts';
import { type Issue, issuesToTree, treeToIssues } from '../../src/model/errors/issue.ts';
import { limits } from '../../src/model/limits/limits.ts';
import { checkCommand } from '../../src/model/rules/commands/command.ts';
import type { ServiceOptions } from '../../src/service/options.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { elapse } from '../support/clock/elapse.ts';
import { arbitraryBrokenCommand, arbitraryCommand } from '../support/commands/arbitrary-command.ts';
import { faults } from '../support/commands/issues.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const absent = '123456789012345678';
const rally: CommandInput = { name: 'rally', description: 'Calls your party together' };

let closing: (() => unknown)[] = [];

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ fixtures: starfall, limits: 'off', ...options });
  closing.push(() => service.close());
  return service;
}

const bot: Secrets = { botToken: application.bot_token };

type Secrets = Pick<BackendOptions, 'botToken' | 'clientSecret'>;

function backendOf(
  service: Pick<Service, 'webBase'>,
  options: Partial<BackendOptions> = {},
  secrets: Secrets = bot,
): Backend {
  const backend = createBackend({
    ...secrets,
    applicationId: application.id,
    baseUrl: service.webBase,
    globalLimit: 'off',
    ...options,
  });
  closing.push(() => backend.close());
  return backend;
}

/** A service that is not there: whatever fails on it without a TransportError failed before anything was sent. */
const nowhere = { webBase: 'http://127.0.0.1:1' };

/** What the service answered so far. */
async function answersOf(service: Service): Promise<{ readonly route?: string; readonly status?: number }[]> {
  const headers = { authorization: `Bearer ${service.controlToken}` };
  const log = await fetch(`${service.controlBase}/log`, { headers });
  const { entries } = (await log.json()) as { entries: { kind: string; route?: string; status?: number }[] };
  return entries.filter(({ kind }) => kind === 'request');
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

describe('lobbies of the backend', () => {
  let service: Service;
  let backend: Backend;
  beforeEach(async () => {
    service = await start();
    backend = backendOf(service);
  });

  it('creates one with everything, and reads it back', async () => {
    const lobby = await backend.lobbies.create({
      metadata: { map: 'harbour' },
      members: [{ id: ada.id, metadata: { team: 'blue' }, flags: 1 }, { id: grace.id }],
      idle_timeout_seconds: limits.lobbyIdleTimeoutSecondsMin,
    });
    expect(lobby).toMatchObject({ application_id: application.id, metadata: { map: 'harbour' } });
    expect(lobby.members.map(({ id }) => id)).toEqual([ada.id, grace.id]);
    expect(await backend.lobbies.get(lobby.id)).toEqual(lobby);
  });

  it('creates an empty one without any argument', async () => {
    expect(await backend.lobbies.create()).toMatchObject({ members: [] });
  });

  it('edits what it is given and nothing else', async () => {
    const { id } = await backend.lobbies.create({ metadata: { a: '1' }, members: [{ id: ada.id }] });
    expect(await backend.lobbies.edit(id, { metadata: { b: '2' } })).toMatchObject({
      metadata: { b: '2' },
      members: [{ id: ada.id }],
    });
    expect((await backend.lobbies.edit(id, { members: [{ id: grace.id }] })).members).toMatchObject([{ id: grace.id }]);
  });

  it('adds a member, updates and removes it; removing again is no error', async () => {
    const { id } = await backend.lobbies.create();
    expect(await backend.lobbies.putMember(id, ada.id, { metadata: { team: 'red' } })).toMatchObject({
      id: ada.id,
      metadata: { team: 'red' },
    });
    expect(await backend.lobbies.putMember(id, ada.id, { flags: 1 })).toMatchObject({ id: ada.id, flags: 1 });
    await backend.lobbies.removeMember(id, ada.id);
    await backend.lobbies.removeMember(id, ada.id);
    expect((await backend.lobbies.get(id)).members).toEqual([]);
  });

  it('deletes one; deleting it again, or one that never was, is no error', async () => {
    const { id } = await backend.lobbies.create();
    await backend.lobbies.delete(id);
    await backend.lobbies.delete(id);
    await backend.lobbies.delete(absent);
    expect(await failureOf(backend.lobbies.get(id))).toMatchObject({ code: 'unknown_lobby', status: 404 });
  });

  it('names a missing lobby and a missing user', async () => {
    const { lobbies } = backend;
    const unknown = { name: 'ApiError', code: 'unknown_lobby', apiCode: apiErrors.unknown_lobby.code };
    expect(await failureOf(lobbies.get(absent))).toMatchObject({ ...unknown, route: 'GET /lobbies/{lobby_id}' });
    expect(await failureOf(lobbies.edit(absent, {}))).toMatchObject(unknown);
    expect(await failureOf(lobbies.putMember(absent, ada.id))).toMatchObject(unknown);
    expect(await failureOf(lobbies.removeMember(absent, ada.id))).toMatchObject(unknown);
    const { id } = await lobbies.create();
    expect(await failureOf(lobbies.putMember(id, absent))).toMatchObject({ code: 'unknown_user' });
  });

  it('takes a full list of 25 members and rejects the 26th before sending', async () => {
    const members = Array.from({ length: limits.lobbyMembersPerRequestMax + 1 }, (_, i) => ({
      id: `${absent}${i % 10}`,
    }));
    const refusal = await failureOf(backendOf(nowhere).lobbies.create({ members }));
    expect(refusal).toBeInstanceOf(ValidationError);
    expect(faults((refusal as ValidationError).issues)).toContain('members BASE_TYPE_MAX_LENGTH');
  });

  it('rejects metadata of 1001 characters in total before sending, and stores 1000', async () => {
    const { lobbies } = backendOf(nowhere);
    const value = 'x'.repeat(limits.lobbyMetadataLengthMax - 1);
    expect(await failureOf(lobbies.create({ metadata: { k: `${value}x` } }))).toBeInstanceOf(ValidationError);
    expect(await failureOf(lobbies.putMember(absent, ada.id, { metadata: { k: `${value}x` } }))).toBeInstanceOf(
      ValidationError,
    );
    expect(await backend.lobbies.create({ metadata: { k: value } })).toMatchObject({ metadata: { k: value } });
  });

  it('rejects an invalid id before sending', async () => {
    const { lobbies } = backendOf(nowhere);
    for (const bad of ['', '-1', '01', 'abc', '9223372036854775808', '../x', '1/members']) {
      for (const call of [lobbies.get(bad), lobbies.edit(bad, {}), lobbies.delete(bad), lobbies.putMember('1', bad)]) {
        const error = await failureOf(call);
        expect(error).toBeInstanceOf(ArgumentError);
        expect(error).toMatchObject({ code: 'invalid_snowflake' });
      }
    }
  });
});

describe('commands of the backend', () => {
  let backend: Backend;
  let service: Service;
  beforeEach(async () => {
    service = await start();
    backend = backendOf(service);
  });

  it('distinguishes a new command from one that was overwritten', async () => {
    const first = await backend.commands.create(rally);
    expect(first).toMatchObject({ isNew: true, command: { name: 'rally', type: commandTypes.CHAT_INPUT } });
    const second = await backend.commands.create({ ...rally, description: 'Another' });
    expect(second).toMatchObject({ isNew: false, command: { id: first.command.id, description: 'Another' } });
    expect(BigInt(second.command.version)).toBeGreaterThan(BigInt(first.command.version));
  });

  it('lists with the requester’s texts, or with all of them', async () => {
    await backend.commands.create({ ...rally, description_localizations: { de: 'Ruft deine Gruppe' } });
    const find = async (withLocalizations: boolean) =>
      (await backend.commands.list({ withLocalizations })).find(({ name }) => name === 'rally');
    expect(await find(true)).toMatchObject({ description_localizations: { de: 'Ruft deine Gruppe' } });
    expect(await find(false)).not.toHaveProperty('description_localizations');
  });

  it('gets, edits and deletes; deleting again answers false', async () => {
    const { command } = await backend.commands.create(rally);
    expect(await backend.commands.get(command.id)).toEqual(command);
    expect(await backend.commands.edit(command, { description: 'New' })).toMatchObject({
      description: 'New',
      name: 'rally',
    });
    expect(await backend.commands.edit(command.id, { name: 'regroup' })).toMatchObject({
      id: command.id,
      name: 'regroup',
    });
    expect(await backend.commands.delete(command.id)).toBe(true);
    expect(await backend.commands.delete(command.id)).toBe(false);
    expect(await failureOf(backend.commands.get(command.id))).toMatchObject({ code: 'unknown_command' });
    expect(await failureOf(backend.commands.edit(command.id, {}))).toMatchObject({ code: 'unknown_command' });
  });

  it('replaces all, keeping ids by type and name, and rejects a write that drops the entry point', async () => {
    const { command } = await backend.commands.create(rally);
    const entryPoint = (await backend.commands.list()).find(({ type }) => type === commandTypes.PRIMARY_ENTRY_POINT);
    const items = [
      { ...rally, description: 'Again' },
      { name: 'Poke', type: commandTypes.USER },
    ];
    expect(await failureOf(backend.commands.replaceAll(items))).toMatchObject({ code: 'entry_point_missing' });
    const launch = { type: commandTypes.PRIMARY_ENTRY_POINT, name: 'Launch', description: 'Opens it' };
    const all = await backend.commands.replaceAll([...items, launch]);
    expect(all.map(({ name }) => name).sort()).toEqual(['Launch', 'Poke', 'rally']);
    expect(all.find(({ name }) => name === 'rally')?.id).toBe(command.id);
    expect(all.find(({ name }) => name === 'Launch')?.id).toBe(entryPoint?.id);
  });

  it('names a name that is taken', async () => {
    await backend.commands.create(rally);
    const { command } = await backend.commands.create({ ...rally, name: 'other' });
    expect(await failureOf(backend.commands.edit(command, { name: 'rally' }))).toMatchObject({
      code: 'command_name_taken',
      apiCode: apiErrors.command_name_taken.code,
    });
  });

  it('checks an edit by the command’s type, and without the type only by what no type allows', async () => {
    const { commands } = backendOf(nowhere);
    const renamed = { name: 'Mixed Case' };
    expect(await failureOf(commands.edit({ id: '1', type: commandTypes.CHAT_INPUT }, renamed))).toBeInstanceOf(
      ValidationError,
    );
    const soon = { signal: AbortSignal.abort() }; // ends the call once the check has let it pass
    expect(await failureOf(commands.edit({ id: '1', type: commandTypes.USER }, renamed, soon))).toBeInstanceOf(
      TransportError,
    );
    expect(await failureOf(commands.edit('1', renamed, soon))).toBeInstanceOf(TransportError);
    expect(await failureOf(commands.edit('1', { name: '' }))).toBeInstanceOf(ValidationError);
  });

  it('gets a RateLimitError when the day’s creates are used up, whose cause names them', async () => {
    service = await start({ limits: 'standard' });
    backend = backendOf(service);
    const items = Array.from({ length: 100 }, (_, i) => ({ ...rally, name: `c${i}` }));
    const launch = { type: commandTypes.PRIMARY_ENTRY_POINT, name: 'Launch', description: 'Opens it' };
    await backend.commands.replaceAll([...items, launch]);
    await backend.commands.replaceAll([...items.map(({ name }) => ({ ...rally, name: `d${name}` })), launch]);
    await backend.commands.replaceAll([launch]);
    const error = await failureOf(backend.commands.create(rally));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ bucket: 'too_many_command_creates' });
    expect((error as RateLimitError).cause).toBeInstanceOf(ApiError);
    expect((error as RateLimitError).retryAfterMs).toBeGreaterThan(0);
  });
});

describe('one rulebook', () => {
  let service: Service;
  let backend: Backend;
  let stop: () => Promise<void>;
  const context = { scope: 'global', traits: traitsUnknown } as const;

  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
    backend = createBackend({
      applicationId: application.id,
      botToken: application.bot_token,
      baseUrl: service.webBase,
      globalLimit: 'off',
    });
    stop = async () => {
      backend.close();
      await service.close();
    };
  });
  afterAll(() => stop());

  const post = (body: unknown) => callApi(service, 'POST', `/applications/${application.id}/commands`, body);

  it('gives a broken command the same issues in the model, in the backend before sending, and in the service’s answer', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryBrokenCommand(), async ({ body, path, code }) => {
        const issues: readonly Issue[] = checkCommand(body, context);
        expect(faults(issues)).toContain(faults([{ path, code, message: '' }])[0]);

        const refusal = await failureOf(backend.commands.create(body as CommandInput));
        expect(refusal).toBeInstanceOf(ValidationError);
        expect((refusal as ValidationError).issues).toEqual(issues);

        const answer = await post(body);
        expect(answer).toMatchObject({ status: 400, body: { code: apiErrors.invalid_form_body.code } });
        const told = treeToIssues((answer.body as { errors: unknown }).errors);
        // A level with faults below it has none of its own.
        const shown = treeToIssues(issuesToTree(issues));
        expect(faults(told).sort()).toEqual(faults(shown).sort());
      }),
      { numRuns: 100 },
    );
  });

  it('rejects no valid command, neither before sending nor in the service', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommand(), async command => {
        expect(checkCommand(command, context)).toEqual([]);
        const error = await failureOf(backend.commands.create(command));
        // The day's creates and the commands of a scope do end; that is not the command's fault.
        if (error instanceof RateLimitError) return;
        if (error) expect(error).toMatchObject({ code: 'too_many_commands' });
      }),
      { numRuns: 60 },
    );
  });
});

describe('credentials of the backend', () => {
  it('serves commands with a client secret alone, asking once for a token', async () => {
    const service = await start();
    const backend = backendOf(service, {}, { clientSecret: application.client_secret });
    await Promise.all([backend.commands.create(rally), backend.commands.list(), backend.commands.list()]);
    const tokens = (await answersOf(service)).filter(({ route }) => route === 'createToken');
    expect(tokens).toHaveLength(1);
    expect(await failureOf(backend.lobbies.create())).toMatchObject({
      name: 'ArgumentError',
      code: 'credential_missing',
    });
    expect(await failureOf(backend.interactions.listen(() => {}))).toMatchObject({ code: 'credential_missing' });
  });

  it('connects for a handler only, and reads, edits and deploys only what it is given', async () => {
    const { commands, interactions, profiles } = backendOf(await start());
    const refused = { name: 'ArgumentError', code: 'invalid_argument' };
    for (const wrong of [undefined, null, '9'] as never[]) {
      expect(await failureOf(profiles.get(wrong))).toMatchObject(refused);
      expect(await failureOf(profiles.edit(wrong, {}))).toMatchObject(refused);
    }
    for (const wrong of [undefined, null, {}] as never[]) {
      expect(await failureOf(interactions.listen(wrong))).toMatchObject(refused);
      expect(await failureOf(interactions.endpoint(wrong))).toMatchObject(refused);
      expect(await failureOf(commands.deploy(wrong))).toMatchObject(refused);
    }
    expect(await failureOf(commands.edit(undefined as never, {}))).toMatchObject(refused);
  });

  it('gets another token when the one it holds was revoked', async () => {
    const service = await start();
    const backend = backendOf(service, {}, { clientSecret: application.client_secret });
    await backend.commands.list();
    await service.reset(); // takes every token back
    expect(await backend.commands.list()).toHaveLength(1);
    const routes = (await answersOf(service)).map(({ route, status }) => `${route} ${status}`);
    expect(routes.slice(-3)).toEqual(['listGlobalCommands 401', 'createToken 200', 'listGlobalCommands 200']);
  });

  it('gets one token for all calls whose token was revoked', async () => {
    const service = await start();
    const backend = backendOf(service, {}, { clientSecret: application.client_secret });
    await backend.commands.list();
    await service.reset();
    await Promise.all(Array.from({ length: 20 }, () => backend.commands.list()));
    const tokens = (await answersOf(service)).filter(({ route }) => route === 'createToken');
    expect(tokens.length).toBeLessThanOrEqual(2); // the first one is in the log only until the reset
  });

  it('renews a token before it ends', async () => {
    const service = await start();
    const clock = new VirtualClock(Date.now());
    const backend = backendOf(service, { clock }, { clientSecret: application.client_secret });
    const tokens = async () => {
      await backend.commands.list();
      return (await answersOf(service)).filter(({ route }) => route === 'createToken').length;
    };
    expect(await tokens()).toBe(1);
    await clock.advance(limits.accessTokenLifeMs - 60_001);
    expect(await tokens()).toBe(1);
    await clock.advance(1);
    expect(await tokens()).toBe(2);
  });

  it('ends a call by its deadline also while it waits for its token', async () => {
    const clock = new VirtualClock(Date.now());
    const silent = { send: () => new Promise<never>(() => {}), close() {} };
    const backend = backendOf(nowhere, { clock, transport: silent }, { clientSecret: application.client_secret });
    const late = failureOf(backend.commands.list({ deadlineMs: 1_000 }));
    await clock.advance(1_000);
    expect(await late).toMatchObject({ code: 'deadline_exceeded' });
    expect(await failureOf(backend.commands.list({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted' });
  });

  it('names a wrong client secret and a wrong bot token, and repeats neither', async () => {
    const service = await start();
    const wrong = backendOf(service, {}, { clientSecret: 'n0pe-n0pe' });
    const refusal = await failureOf(wrong.commands.list());
    expect(refusal).toMatchObject({ name: 'OAuthError', code: 'invalid_client' });
    expect(String((refusal as Error).stack)).not.toContain('n0pe');
    const stranger = backendOf(service, {}, { botToken: 'n0pe-n0pe' });
    expect(await failureOf(stranger.lobbies.create())).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(await failureOf(stranger.interactions.listen(() => {}))).toMatchObject({ code: 'unauthorized' });
  });

  it('rejects options it cannot work with', () => {
    const options = { baseUrl: 'http://127.0.0.1:9', applicationId: '1', botToken: 'x' };
    const codeOf = (change: object) => {
      try {
        createBackend({ ...options, ...change });
        return 'none';
      } catch (error) {
        return error instanceof ArgumentError ? error.code : error;
      }
    };
    expect(codeOf({})).toBe('none');
    expect(codeOf({ applicationId: 'one' })).toBe('invalid_snowflake');
    expect(codeOf({ applicationId: '' })).toBe('missing_application_id');
    expect(codeOf({ botToken: undefined })).toBe('credential_missing');
    expect(codeOf({ botToken: '' })).toBe('credential_missing');
    expect(codeOf({ globalLimit: { requests: 1, windowMs: 0 } })).toBe('none');
    for (const requests of [Number.NaN, 0, '50', undefined]) {
      expect(codeOf({ globalLimit: { requests, windowMs: 1000 } })).toBe('invalid_argument');
    }
    expect(codeOf({ globalLimit: { requests: 50 } })).toBe('invalid_argument');
    expect(codeOf({ globalLimit: 50 })).toBe('invalid_argument');
    expect(codeOf({ clientSecret: '' })).toBe('credential_missing');
    expect(codeOf({ botToken: 'Bot abc' })).toBe('invalid_credential');
    expect(codeOf({ botToken: 'a\r\nX-Evil: 1' })).toBe('invalid_credential');
    expect(codeOf({ baseUrl: 'nonsense' })).toBe('invalid_base_url');
    expect(codeOf({ baseUrl: 'http://example.com' })).toBe('insecure_address');
    expect(codeOf({ baseUrl: 'http://example.com', allowUnencrypted: true })).toBe('none');
  });
});

describe('limits the backend meets', () => {
  const tight = {
    name: 'standard',
    asOf: '2026-11-20',
    buckets: { 'lobby-create': { requests: 4, windowMs: 150 } },
  } as const;

  const refusalsOf = async (service: Service) =>
    (await answersOf(service)).filter(({ status }) => status === 429).length;

  it('learns a limit from the first answer and is never rejected, however many calls are made concurrently', async () => {
    const service = await start({ limits: tight });
    const backend = backendOf(service);
    const lobbies = await Promise.all(Array.from({ length: 13 }, () => backend.lobbies.create()));
    expect(new Set(lobbies.map(({ id }) => id)).size).toBe(13);
    expect(await refusalsOf(service)).toBe(0);
  });

  it('continues after a 429 because another process used the limit up', async () => {
    const service = await start({ limits: tight });
    const backend = backendOf(service);
    for (let i = 0; i < 4; i++) await callApi(service, 'POST', '/lobbies', {});
    await backend.lobbies.create();
    expect(await refusalsOf(service)).toBe(1);
  });

  it('rejects with a RateLimitError when the deadline comes first', async () => {
    const service = await start({
      limits: { ...tight, buckets: { 'lobby-create': { requests: 1, windowMs: 60_000 } } },
    });
    const backend = backendOf(service, { deadlineMs: 1_000 });
    await backend.lobbies.create();
    const error = await failureOf(backend.lobbies.create());
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).retryAfterMs).toBeGreaterThan(50_000);
    await backend.lobbies.create({}, { deadlineMs: 90_000, signal: AbortSignal.timeout(20) }).catch(caught => {
      expect(caught).toMatchObject({ code: 'aborted' });
    });
  });
});

describe('interactions the backend receives', () => {
  /** A listening backend, and the interactions it got. */
  async function listening(service: Service, options: Partial<BackendOptions> = {}) {
    const backend = backendOf(service, options);
    const { command } = await backend.commands.create(rally);
    const waiting: ((interaction: ReceivedInteraction) => void)[] = [];
    const listener = await backend.interactions.listen(interaction => waiting.shift()?.(interaction));
    const used = async () => {
      const { promise, resolve } = Promise.withResolvers<ReceivedInteraction>();
      waiting.push(resolve);
      await useCommand(service, command, ada.id);
      return promise;
    };
    return { backend, listener, command, used };
  }

  const originalOf = (service: Service, { payload }: ReceivedInteraction) =>
    callApi(service, 'GET', `/webhooks/${application.id}/${payload.token}/messages/@original`);

  it('hands a use on, with who used what, and carries the answer back', async () => {
    const service = await start();
    const { command, used } = await listening(service);
    const interaction = await used();
    expect(interaction.payload).toMatchObject({
      application_id: application.id,
      data: { id: command.id, name: 'rally' },
      member: { user: { id: ada.id } },
    });
    await interaction.reply({ content: 'On the way!' });
    expect(await originalOf(service, interaction)).toMatchObject({ status: 200, body: { content: 'On the way!' } });
  });

  it('gets an error for a second answer', async () => {
    const service = await start();
    const interaction = await (await listening(service)).used();
    await interaction.reply({ content: 'one' });
    expect(await failureOf(interaction.reply({ content: 'two' }))).toMatchObject({ code: 'already_acknowledged' });
  });

  it('rejects an answer of 2001 characters before sending, and then still takes one of 2000', async () => {
    const service = await start();
    const interaction = await (await listening(service)).used();
    const content = 'x'.repeat(limits.messageContentLengthMax);
    expect(await failureOf(interaction.reply({ content: `${content}x` }))).toBeInstanceOf(ValidationError);
    await interaction.reply({ content });
  });

  it('gets an error for an answer that came too late', async () => {
    const service = await start({ clock: 'virtual' });
    const interaction = await (await listening(service)).used();
    await service.clock.advance(limits.interactionAnswerMs + 1);
    expect(await failureOf(interaction.reply({ content: 'late' }))).toMatchObject({ code: 'unknown_interaction' });
  });

  it('does not send an answer whose time is over by its own clock', async () => {
    const service = await start();
    const clock = new VirtualClock(Date.now());
    const interaction = await (await listening(service, { clock })).used();
    await clock.advance(limits.interactionAnswerMs);
    expect(await failureOf(interaction.reply({ content: 'late' }))).toMatchObject({ code: 'deadline_exceeded' });
    expect(await originalOf(service, interaction)).toMatchObject({ status: 404 });
  });

  it('counts the three seconds from the arrival when its clock is far off', async () => {
    const service = await start();
    for (const offMs of [-3_600_000, 3_600_000]) {
      const clock = new VirtualClock(Date.now() + offMs);
      const { used, listener } = await listening(service, { clock });
      const interaction = await used();
      expect(interaction.answerByMs).toBe(clock.now() + limits.interactionAnswerMs);
      await interaction.reply({ content: 'in time' });
      listener.close();
    }
  });

  it('keeps receiving when a handler fails, and reports the failure', async () => {
    const service = await start();
    const backend = backendOf(service);
    const { command } = await backend.commands.create(rally);
    const failures: unknown[] = [];
    const third = Promise.withResolvers<void>();
    let count = 0;
    await backend.interactions.listen(
      () => {
        count++;
        if (count === 3) third.resolve();
        if (count === 1) throw new Error('at once');
        return Promise.reject(new Error('later'));
      },
      { onError: error => failures.push((error as Error).message) },
    );
    for (let i = 0; i < 3; i++) await useCommand(service, command, grace.id);
    await third.promise;
    await new Promise(resolve => setImmediate(resolve));
    expect(failures).toEqual(['at once', 'later', 'later']);
  });

  it('reconnects automatically after the service dropped its session', async () => {
    const service = await start();
    const clock = new VirtualClock(Date.now());
    const backend = backendOf(service, { clock });
    let received = 0;
    await backend.interactions.listen(() => {
      received++;
    });
    await service.reset();
    const { command } = await elapse(clock, backend.commands.create(rally));
    const again = (async () => {
      while (received === 0) {
        await useCommand(service, command, edsger.id).catch(() => {});
        await useCommand(service, command, ada.id);
        await new Promise(resolve => setImmediate(resolve));
      }
    })();
    await elapse(clock, again);
    expect(received).toBeGreaterThan(0);
  });

  it('receives nothing after its listener was closed', async () => {
    const service = await start();
    const backend = backendOf(service);
    const { command } = await backend.commands.create(rally);
    let received = 0;
    const listener = await backend.interactions.listen(() => {
      received++;
    });
    listener.close();
    listener.close();
    let receivedByOther = 0;
    const other = backendOf(service);
    await other.interactions.listen(() => {
      receivedByOther++;
    });
    await useCommand(service, command, ada.id);
    await expect.poll(() => receivedByOther).toBe(1);
    expect(received).toBe(0);
  });

  it('gives up connecting when it is aborted', async () => {
    const service = await start();
    const connecting = Promise.withResolvers<void>();
    const socket = () => {
      connecting.resolve();
      return { send() {}, close() {} };
    };
    const backend = backendOf(service, { socket });
    const abort = new AbortController();
    const listening = failureOf(backend.interactions.listen(() => {}, { signal: abort.signal }));
    await connecting.promise;
    abort.abort();
    expect(await listening).toMatchObject({ code: 'aborted' });
  });
});
