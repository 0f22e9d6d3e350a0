import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Backend, createBackend } from '../../src/backend/index.ts';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { button, row, stringSelect } from '../support/commands/components.ts';

const fixtures = {
  applications: [{ id: '1', name: 'Starfall', bot_token: 'starfall-bot-token' }],
  users: [
    { id: '9', username: 'ada', global_name: 'Ada' },
    { id: '10', username: 'grace', global_name: 'Grace' },
  ],
  guilds: [
    {
      id: '5',
      owner_id: '9',
      applications: ['1'],
      channels: [
        { id: '7', name: 'general' },
        { id: '8', name: 'tavern' },
      ],
      members: [{ user_id: '9' }, { user_id: '10' }],
    },
  ],
};

let service: Service;
let backend: Backend;

beforeAll(async () => {
  service = await startService({ fixtures, limits: 'off' });
  const { webBase: baseUrl } = service;
  backend = createBackend({ baseUrl, applicationId: '1', botToken: 'starfall-bot-token', globalLimit: 'off' });
  await backend.commands.create({
    name: 'rally',
    description: 'Calls your party together',
    options: [
      { type: 3, name: 'where', description: 'Where to', required: true },
      { type: 4, name: 'size', description: 'How many', choices: [{ name: 'a dozen', value: 12 }] },
      { type: 6, name: 'whom', description: 'Whom' },
      { type: 5, name: 'now', description: 'At once' },
      { type: 7, name: 'port', description: 'From where' },
    ],
  });
  const member = { type: 4, name: 'age', description: 'How old' } as const;
  await backend.commands.create({
    name: 'crew',
    description: 'The crew',
    options: [{ type: 1, name: 'add', description: 'Adds a member', options: [member] }],
  });
  for (const name of ['later', 'never', 'form', 'secret', 'silence']) {
    await backend.commands.create({ name, description: 'Answers in another way' });
  }
  await backend.commands.create({ name: 'High five', type: 2 });
  await backend.interactions.listen(async ({ payload, reply, update, defer, deferUpdate, editReply, showModal }) => {
    const { name, custom_id, options, target_id } = payload.data as {
      name?: string;
      custom_id?: string;
      options?: unknown;
      target_id?: string;
    };
    if (custom_id === 'join') return update({ content: `${payload.member?.user.username} joined`, components: [] });
    if (custom_id === 'leave') return deferUpdate();
    if (name === 'silence') return;
    if (name === 'later') {
      await defer();
      await editReply({ content: 'At last' });
      return;
    }
    if (name === 'never') return defer();
    if (name === 'secret') return reply({ content: 'Psst', ephemeral: true });
    if (name === 'form') {
      const input = { type: 4, custom_id: 'name', style: 1 } as const;
      await showModal({ custom_id: 'f', title: 'You', components: [{ type: 18, label: 'Name', component: input }] });
      return;
    }
    const parts = [
      row(button('join', { label: 'Join' }), button('leave', { label: 'Leave', disabled: false })),
      row(stringSelect('ship', ['sloop', 'galleon'], { placeholder: 'Ship' })),
    ];
    await reply({
      content: JSON.stringify({
        in: payload.channel_id,
        by: (payload.member ?? payload).user?.username,
        target_id,
        options,
      }),
      embeds: [{ title: 'Rally', description: 'All hands\n\u001b[31mon deck' }],
      components: parts,
    });
  });
});
beforeEach(() => {
  service.faults.clear();
});
afterAll(async () => {
  backend.close();
  await service.close();
});

async function run(...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(['use', ...args], {
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
    environment: { RALLYPOINT_CONTROL_URL: service.controlBase, RALLYPOINT_CONTROL_TOKEN: service.controlToken },
    askHidden: async () => undefined,
    askWhether: async () => undefined,
  });
  return { code, stdout, stderr };
}

/** What the application received, from the text of its answer. */
function received(stdout: string): Record<string, unknown> {
  return JSON.parse(/^Starfall: (\{.*\})/.exec(stdout)?.[1] ?? '{}');
}

describe('rallypoint use', () => {
  it('uses a command as the owner of the guild in its first channel, and prints what the user sees', async () => {
    const { code, stdout, stderr } = await run('/rally', 'where=the old harbour');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(received(stdout)).toEqual({
      in: '7',
      by: 'ada',
      options: [{ name: 'where', type: 3, value: 'the old harbour' }],
    });
    expect(stdout.split('\n').slice(1)).toEqual([
      '  Rally',
      '  All hands',
      '  \\u{1b}[31mon deck',
      '  [Join]  [Leave]',
      '  <Ship>: sloop, galleon',
      '',
    ]);
  });

  it('takes options as a person writes them: names of choices, users and channels, numbers and truth values', async () => {
    const options = ['where=a=b', 'size=a dozen', 'whom=grace', 'now=true', 'port=tavern'];
    const { stdout } = await run('rally', ...options, '--as', 'grace', '--in', 'tavern');
    expect(received(stdout)).toMatchObject({
      in: '8',
      by: 'grace',
      options: [{ value: 'a=b' }, { value: 12 }, { value: '10' }, { value: true }, { value: '8' }],
    });
  });

  it('uses subcommands, context menus and direct messages', async () => {
    const add = received((await run('/crew', 'add', 'age=-3')).stdout);
    expect(add).toMatchObject({ options: [{ name: 'add', options: [{ name: 'age', value: -3 }] }] });
    expect(received((await run('High', 'five', '--target', 'grace')).stdout)).toMatchObject({ target_id: '10' });
    expect(received((await run('/rally', 'where=x', '--direct', '1', '--as', '10')).stdout)).toMatchObject({
      by: 'grace',
    });
  });

  it('presses a button of the answer', async () => {
    const { code, stdout } = await run('/rally', 'where=x', '--press', 'Join');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n\nStarfall: ada joined {2}\(changed\)\n {2}Rally\n/);
    expect((await run('/rally', 'where=x', '--press', 'leave')).stdout).toMatch(
      /\n\nThe application acknowledged it and shows nothing\.\n$/,
    );
  });

  it('shows forms, what only the user sees, and a deferred answer once it is there', async () => {
    expect((await run('/form')).stdout).toBe('A form opens: You\n  Name\n  <name>\n');
    expect((await run('/secret')).stdout).toBe('Starfall: Psst  (only this user sees it)\n');
    expect((await run('/later')).stdout).toBe('Starfall: At last\n');
  });

  it('prints JSON', async () => {
    const [reply, pressed] = JSON.parse((await run('/rally', 'where=x', '--press', 'Join', '--json')).stdout);
    expect(reply).toMatchObject({ kind: 'message', message: { channel_id: '7', components: [{}, {}] } });
    expect(pressed).toMatchObject({ kind: 'update', content: 'ada joined' });
  });

  it('fails with 1 and the reason', async () => {
    const failures = [
      [['/sail'], 'There is no command that the user may use here named "/sail". Known are: /'],
      [['/rally', 'when=now'], 'There is no option of /rally named "when". Known are: where'],
      [['/rally'], 'data.options'],
      [['/rally', 'where'], 'Options are written NAME=VALUE.'],
      [['High five'], 'Say what it is used on: --target USER.'],
      [['/crew', 'remove'], 'There is no subcommand of /crew named "remove". Known are: add.'],
      [['/rally', 'where=x', '--as', 'edsger'], 'There is no user "edsger"'],
      [['/rally', 'where=x', '--in', 'sea'], 'There is no channel named "sea". Known are: general, tavern.'],
      [
        ['/rally', 'where=x', '--press', 'Sail'],
        'There is no button in the channel named "Sail". Known are: Join, Leave',
      ],
      [['/silence', '--wait', '50ms'], 'Nobody answered within 50 ms.'],
      [['/never', '--wait', '500 ms'], 'deferred its answer, which did not come within 500 ms.'],
    ] as const;
    for (const [args, told] of failures) {
      expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(told) });
    }
  });

  it('says so when there are no commands, and when the application does not answer', async () => {
    const empty = await startService({ fixtures, clock: 'virtual' });
    onTestFinished(() => empty.close());
    const control = ['--control', empty.controlBase, '--control-token', empty.controlToken];
    expect((await run('/rally', ...control)).stderr).toContain('no application has registered a command');
    const headers = { authorization: 'Bot starfall-bot-token', 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'rally', description: 'x' });
    await fetch(`${empty.apiBase}/v10/applications/1/commands`, { method: 'POST', headers, body });
    const failed = run('/rally', ...control);
    await expect
      .poll(async () => (await empty.metrics()).includes('route="/api/v10/interactions",status="204"'))
      .toBe(true);
    await empty.clock.advance(3_000);
    expect((await failed).stderr).toBe(
      'rallypoint: The application did not answer the interaction in time. Check that its server is running.\n',
    );
  });

  it.each([
    ['READY', 'ada', '9'],
    ['INTERACTION_SUCCESS', 'grace', '10'],
  ])('ends in time when the service freezes before %s', async (event, user, user_id) => {
    service.faults.add({ kind: 'freeze', match: { user_id, event } });
    const told =
      event === 'READY' ? `The service at ${service.controlBase} did not answer within 500 ms.` : 'Nobody answered';
    expect(await run('/rally', 'where=x', '--as', user, '--timeout', '500ms', '--wait', '300ms')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(told),
    });
  });

  it('says what to do in a world without channels', async () => {
    const { guilds: _, ...lonely } = fixtures;
    const bare = await startService({ fixtures: lonely });
    onTestFinished(() => bare.close());
    const control = ['--control', bare.controlBase, '--control-token', bare.controlToken];
    const failures = [
      [['/rally'], 'The service has no channel. Add a guild with a channel to its fixtures, or pass --direct ID.'],
      [['/rally', '--in', 'sea'], 'The service has no channel. Add a guild with a channel'],
      [['/rally', '--direct', '1'], 'There are no guilds. Pass --as USER.'],
      [
        ['/rally', '--direct', '1', '--as', 'ada'],
        'The user cannot use commands of application 1 in direct messages: both must be in one guild, or the user',
      ],
      [['/rally', '--direct', '77', '--as', 'ada'], 'There is no application 77.'],
    ] as const;
    for (const [args, told] of failures) {
      expect(await run(...args, ...control)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(told) });
    }
  });

  it('rejects wrong usage with 2', async () => {
    const wrong = [
      [[], '"rallypoint use" needs /COMMAND'],
      [['/rally', '--direct', 'starfall'], '--direct must be an id, a whole number (got "starfall").'],
      [['/rally', 'where=the', 'harbour'], 'Options are written NAME=VALUE (got "harbour").'],
      [['/rally', '--wait', 'long'], 'A duration is'],
      [['/rally', '--channel', 'x'], 'There is no option --channel'],
    ] as const;
    for (const [args, told] of wrong) {
      expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(told) });
    }
  });
});
