import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../../src/backend/commands/define.ts';
import { option } from '../../../src/backend/commands/option.ts';
import { router } from '../../../src/backend/commands/router.ts';
import type { ReceivedInteraction } from '../../../src/backend/interactions/received-interaction.ts';
import type {
  CommandInvocation,
  Interaction,
  InteractionCallback,
  OptionValue,
} from '../../../src/model/interaction.ts';

/** An interaction as it arrives, and what was answered to it. */
function received(data: Partial<CommandInvocation>, type: 2 | 4 | 3 = 2) {
  const answers: InteractionCallback[] = [];
  const respond = async (callback: InteractionCallback) => void answers.push(callback);
  const payload = { type, data: { id: '1', type: 1, ...data } } as unknown as Interaction;
  const interaction: ReceivedInteraction = {
    payload,
    answerByMs: 0,
    respond,
    reply: message => respond({ type: 4, data: message }),
  } as ReceivedInteraction;
  return { interaction, answers };
}

const map = option.string('map', 'Where', { required: true, choices: [{ name: 'Harbour', value: 'harbour' }] });

describe('a router', () => {
  it('hands a use to its command with the values by name', async () => {
    const seen: unknown[] = [];
    const rally = defineCommand(
      { name: 'rally', description: 'x', options: [map, option.user('friend', 'x'), option.boolean('loud', 'x')] },
      async ({ options, reply }) => {
        seen.push(options.map, options.friend, options.loud);
        await reply({ content: 'Here!' });
      },
    );
    const values: OptionValue[] = [
      { name: 'map', type: 3, value: 'harbour' },
      { name: 'loud', type: 5, value: false },
    ];
    const { interaction, answers } = received({ name: 'rally', options: values });
    await router([rally])(interaction);
    expect(seen).toEqual(['harbour', undefined, false]);
    expect(answers).toEqual([{ type: 4, data: { content: 'Here!' } }]);
  });

  it('tells which subcommand was chosen, inside a group or not', async () => {
    const seen: unknown[] = [];
    const party = defineCommand(
      {
        name: 'party',
        description: 'x',
        options: [
          option.subcommand('add', 'x', [option.user('friend', 'x', { required: true })]),
          option.group('rank', 'x', [option.subcommand('set', 'x', [])]),
        ],
      },
      ({ options }) => void seen.push(options.group, options.subcommand, { ...options.options }),
    );
    const handle = router([party]);
    const add = { name: 'add', type: 1 as const, options: [{ name: 'friend', type: 6 as const, value: '9' }] };
    await handle(received({ name: 'party', options: [add] }).interaction);
    await handle(
      received({ name: 'party', options: [{ name: 'rank', type: 2, options: [{ name: 'set', type: 1 }] }] })
        .interaction,
    );
    expect(seen).toEqual([undefined, 'add', { friend: '9' }, 'rank', 'set', {}]);
  });

  it('finds nothing inherited among values that were left out', async () => {
    let seen: unknown = 'unseen';
    const odd = defineCommand(
      { name: 'odd', description: 'x', options: [option.string('constructor', 'x'), option.string('__proto__', 'x')] },
      ({ options }) => {
        seen = [options.constructor, Reflect.get(options, '__proto__')];
      },
    );
    await router([odd])(received({ name: 'odd' }).interaction);
    expect(seen).toEqual([undefined, undefined]);
    await router([odd])(received({ name: 'odd', options: [{ name: '__proto__', type: 3, value: 'x' }] }).interaction);
    expect(seen).toEqual([undefined, 'x']);
  });

  it('gives a context menu its target, and tells commands of one name apart by their type', async () => {
    const seen: unknown[] = [];
    const user = defineCommand({ type: 2, name: 'invite' }, ({ targetId }) => void seen.push('user', targetId));
    const chat = defineCommand({ name: 'invite', description: 'x' }, () => void seen.push('chat'));
    const handle = router([user, chat]);
    await handle(received({ name: 'invite', type: 2, target_id: '9' }).interaction);
    await handle(received({ name: 'invite' }).interaction);
    expect(seen).toEqual(['user', '9', 'chat']);
  });

  it('prefers a guild’s own command there, and only there', async () => {
    const seen: string[] = [];
    const everywhere = defineCommand({ name: 'rally', description: 'x' }, () => void seen.push('global'));
    const own = defineCommand({ name: 'rally', description: 'x' }, () => void seen.push('guild'));
    const handle = router([everywhere], { guilds: { '5': [own] } });
    await handle(received({ name: 'rally', guild_id: '5' }).interaction);
    await handle(received({ name: 'rally', guild_id: '6' }).interaction);
    await handle(received({ name: 'rally' }).interaction);
    expect(seen).toEqual(['guild', 'global', 'global']);
  });

  it('answers a command it does not know, so that only its user sees it', async () => {
    const { interaction, answers } = received({ name: 'gone' });
    await router([])(interaction);
    expect(answers).toMatchObject([{ type: 4, data: { content: expect.any(String), flags: 64 } }]);
    const noHandler = received({ name: 'plain' });
    await router([{ name: 'plain', description: 'x' }])(noHandler.interaction);
    expect(noHandler.answers).toHaveLength(1);
  });

  it('leaves what it does not know to whoever asked for it, other kinds of interaction too', async () => {
    const seen: string[] = [];
    const handle = router([], { otherwise: ({ payload }) => void seen.push(String(payload.type)) });
    await handle(received({ name: 'gone' }).interaction);
    await handle(received({}, 3).interaction);
    expect(seen).toEqual(['2', '3']);
  });

  it('answers a use that does not fit the definition as outdated, and rejects with the issues', async () => {
    const rally = defineCommand({ name: 'rally', description: 'x', options: [map] }, () => {
      throw new Error('must not be called');
    });
    for (const options of [
      undefined,
      [{ name: 'map', type: 3, value: 'keep' }],
      [{ name: 'mapp', type: 3, value: 'x' }],
    ]) {
      const { interaction, answers } = received({
        name: 'rally',
        ...(options && { options: options as OptionValue[] }),
      });
      await expect(router([rally])(interaction)).rejects.toMatchObject({ code: 'invalid_form_body' });
      expect(answers).toMatchObject([{ data: { flags: 64 } }]);
    }
  });

  it('refuses two commands of one type and name in one place', () => {
    const twice = [
      { name: 'a', description: 'x' },
      { name: 'a', description: 'y', type: 1 as const },
    ];
    expect(() => router(twice)).toThrow(expect.objectContaining({ code: 'duplicate_command' }));
    expect(() => router([], { guilds: { '5': twice } })).toThrow(
      expect.objectContaining({ code: 'duplicate_command' }),
    );
  });
});

describe('suggestions', () => {
  const typing: OptionValue[] = [
    {
      name: 'add',
      type: 1,
      options: [
        { name: 'who', type: 3, value: 'ad', focused: true },
        { name: 'rank', type: 4, value: 2 },
      ],
    },
  ];

  it('are asked of the command with the option being typed, and answered as choices', async () => {
    const search = defineCommand(
      {
        name: 'search',
        description: 'x',
        options: [
          option.subcommand('add', 'x', [
            option.string('who', 'x', { autocomplete: true }),
            option.integer('rank', 'x'),
          ]),
        ],
      },
      { suggest: ({ focused, options }) => [{ name: `${focused.name} ${options.rank}`, value: focused.value }] },
    );
    const { interaction, answers } = received({ name: 'search', options: typing }, 4);
    await router([search])(interaction);
    expect(answers).toEqual([{ type: 8, data: { choices: [{ name: 'who 2', value: 'ad' }] } }]);
  });

  it('are none where nobody makes any', async () => {
    const { interaction, answers } = received({ name: 'gone', options: typing }, 4);
    await router([])(interaction);
    expect(answers).toEqual([{ type: 8, data: { choices: [] } }]);
  });
});

describe('defining a command', () => {
  it('throws every fault the types could not tell at once', () => {
    const name = 'Not A Name';
    expect(() => defineCommand({ name: name as string, description: 'x'.repeat(101) })).toThrow(
      expect.objectContaining({
        code: 'invalid_form_body',
        issues: [
          expect.objectContaining({ path: ['name'], code: 'STRING_TYPE_REGEX' }),
          expect.objectContaining({ path: ['name'], code: 'APPLICATION_COMMAND_INVALID_NAME' }),
          expect.objectContaining({ path: ['description'], code: 'BASE_TYPE_BAD_LENGTH' }),
        ],
      }),
    );
  });
});
