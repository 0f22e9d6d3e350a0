import { beforeEach, describe, expect, it } from 'vitest';
import type { Component } from '../../../../src/model/component.ts';
import type { ModalCreated } from '../../../../src/model/gateway.ts';
import type { Interaction, ModalInteraction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { createInteractions } from '../../../../src/service/features/interactions/interactions.ts';
import { button, labelled, pick, row, stringSelect, text, textInput } from '../../../support/commands/components.ts';
import { ada, applicationRecord, ben, refusal, restarted, userRecord } from '../support.ts';
import { channelId, command, guild, guildId, type InteractionWorld, openInteractionWorld, use } from './world.ts';

const feedback = [
  labelled(textInput('what', { min_length: 2, max_length: 10 })),
  text('And if you like:'),
  labelled(stringSelect('map', ['quay', 'keep'], { required: false })),
];

let world: InteractionWorld;
beforeEach(async () => {
  world = await openInteractionWorld();
});

const modalOf = (components: readonly Component[] = feedback, more: object = {}) => ({
  type: 9,
  data: { custom_id: 'feedback', title: 'Feedback', components, ...more },
});
const last = (name: string) => world.heard.findLast(one => one.name === name)?.data;
const names = () => world.heard.map(({ name }) => name);
const filled = (custom_id: string, value: unknown) => ({ type: 18, component: { type: 4, custom_id, value } });

/** Shows a modal to whoever made the interaction; gives what the user's client hears of it. */
async function shown(interaction: Interaction, body: object = modalOf()): Promise<ModalCreated> {
  await world.answer(interaction, body);
  return last('INTERACTION_MODAL_CREATE') as unknown as ModalCreated;
}

const submission = (modal: ModalCreated, components: unknown = [filled('what', 'Nice')], fields: object = {}) => ({
  type: 5,
  application_id: '1',
  guild_id: guildId,
  channel_id: channelId,
  nonce: 's1',
  data: { id: modal.id, custom_id: modal.custom_id, components },
  ...fields,
});

/** Submits a modal; gives what the application heard of it. */
async function submitted(body: unknown, userId = ada): Promise<ModalInteraction> {
  return (await world.used(body, userId)) as unknown as ModalInteraction;
}

/** Uses a button of a message that answered ada's command. */
async function pressed(): Promise<Interaction> {
  const data = { content: 'x', components: [row(button('open'))] };
  const { resource } = await world.answer(await world.used(), { type: 4, data });
  return world.used({
    ...use({ type: 3, message_id: resource?.message?.id }),
    data: { component_type: 2, custom_id: 'open' },
  });
}

describe('a modal', () => {
  it("is shown to the user's own clients, its components with numbers, and answers the interaction", async () => {
    const interaction = await world.used();
    expect(await world.answer(interaction, modalOf())).toEqual({
      interaction: { id: interaction.id, type: 2 },
    });
    expect(names().slice(1)).toEqual(['INTERACTION_SUCCESS', 'INTERACTION_MODAL_CREATE']);
    expect(last('INTERACTION_MODAL_CREATE')).toEqual({
      id: interaction.id,
      channel_id: channelId,
      custom_id: 'feedback',
      title: 'Feedback',
      components: [
        labelled(textInput('what', { min_length: 2, max_length: 10, id: 2 }), { id: 1 }),
        { ...text('And if you like:'), id: 3 },
        labelled(stringSelect('map', ['quay', 'keep'], { required: false, id: 5 }), { id: 4 }),
      ],
      application: {
        id: '1',
        name: 'app 1',
        description: expect.any(String),
        icon: null,
        bot: expect.objectContaining({ id: '1', bot: true }),
      },
      nonce: 'n1',
    });
    expect((await refusal(world.answer(interaction, modalOf()))).reason).toBe('already_acknowledged');
  });

  it('is an answer that no message goes with', async () => {
    const interaction = await world.used();
    const modal = await shown(interaction);
    const { token } = interaction;
    for (const call of [
      () => world.interactions.message('1', token, '@original'),
      () => world.interactions.editMessage('1', token, '@original', { content: 'x' }),
      () => world.interactions.followUp('1', token, { content: 'x' }),
    ]) {
      expect((await refusal(call())).reason).toBe('unknown_webhook');
    }
    await submitted(submission(modal));
    expect((await refusal(world.interactions.followUp('1', token, { content: 'x' }))).reason).toBe('unknown_webhook');
  });

  it('answers the use of a component, but neither what is typed nor another modal', async () => {
    const modal = await shown(await pressed());
    expect(modal).toMatchObject({ custom_id: 'feedback' });
    const again = await submitted(submission(modal));
    expect((await refusal(world.answer(again, modalOf()))).paths).toEqual(['type']);
    const options = [{ type: 3 as const, name: 'place', description: 'x', autocomplete: true }];
    await world.put(command({ options }));
    const typed = await world.used(
      use({ type: 4 }, { options: [{ type: 3, name: 'place', value: 'a', focused: true }] }),
    );
    expect((await refusal(world.answer(typed, modalOf()))).paths).toEqual(['type']);
  });

  it('is rejected when it is wrong, and may be tried again', async () => {
    const interaction = await world.used();
    const wrong = modalOf([labelled(textInput('a', { style: 3 }))], { title: 'x'.repeat(46) });
    expect(await refusal(world.answer(interaction, wrong))).toMatchObject({
      reason: 'invalid_form_body',
      paths: ['data.title', 'data.components.0.component.style'],
    });
    await shown(interaction);
  });

  it('that is dismissed is never heard of again: the interaction does not fail', async () => {
    await shown(await world.used());
    await world.core.clock.advance(limits.interactionTokenLifeMs);
    expect(names()).not.toContain('INTERACTION_FAILURE');
    expect(await world.core.store.list('interactions')).toEqual([]);
  });
});

describe('a modal that was filled in', () => {
  it('comes as an interaction of its own, laid out as it was shown', async () => {
    const opener = await world.used();
    const modal = await shown(opener);
    const values = [filled('what', 'Nice'), { type: 18, component: { type: 3, custom_id: 'map', values: ['keep'] } }];
    const interaction = await submitted(submission(modal, values));
    expect(interaction).toMatchObject({
      type: 5,
      application_id: '1',
      channel_id: channelId,
      guild_id: guildId,
      member: { user: { id: ada } },
      authorizing_integration_owners: { 0: guildId },
      context: 0,
    });
    expect(interaction.id).not.toBe(opener.id);
    expect(interaction.token).not.toBe(opener.token);
    expect(interaction).not.toHaveProperty('message');
    expect(interaction.data).toEqual({
      custom_id: 'feedback',
      components: [
        { type: 18, id: 1, component: { type: 4, id: 2, custom_id: 'what', value: 'Nice' } },
        { type: 10, id: 3 },
        { type: 18, id: 4, component: { type: 3, id: 5, custom_id: 'map', values: ['keep'] } },
      ],
    });
  });

  it('resolves what was picked', async () => {
    const modal = await shown(await world.used(), modalOf([labelled(pick('USER_SELECT', 'who', { max_values: 2 }))]));
    const picked = (values: readonly string[]) => [{ type: 18, component: { type: 5, custom_id: 'who', values } }];
    const unknown = await refusal(submitted(submission(modal, picked([ben, '999']))));
    expect(unknown.paths).toEqual(['data.components.0.component.values.1']);
    const { data } = await submitted(submission(modal, picked([ben])));
    expect(data.resolved).toMatchObject({ users: { [ben]: { id: ben } }, members: { [ben]: {} } });
  });

  it('can be answered with a message, whose metadata names the modal and the interaction that opened it', async () => {
    const opener = await world.used();
    const interaction = await submitted(submission(await shown(opener)));
    const { resource } = await world.answer(interaction, { type: 4, data: { content: 'Thank you' } });
    expect(resource?.message).toMatchObject({
      type: 20,
      nonce: 's1',
      interaction_metadata: {
        id: interaction.id,
        type: 5,
        user: { id: ada },
        triggering_interaction_metadata: { id: opener.id, type: 2, user: { id: ada } },
      },
    });
    expect(resource?.message).not.toHaveProperty('message_reference');
    await world.interactions.followUp('1', interaction.token, { content: 'More' });
    expect(await world.interactions.message('1', interaction.token, '@original')).toEqual(resource?.message);
  });

  it('of a command is answered with types 4 and 5, and an Activity where there is one', async () => {
    const interaction = await submitted(submission(await shown(await world.used())));
    for (const type of [1, 6, 7, 8, 12]) {
      expect((await refusal(world.answer(interaction, { type }))).fault.issues[0]?.message).toBe(
        'Value must be one of (4, 5).',
      );
    }
    await world.core.store.transact('place', transaction =>
      transaction.put('applications', applicationRecord('1', { embedded: true })),
    );
    expect(await world.answer(interaction, { type: 12 })).toMatchObject({ resource: { type: 12 } });
  });

  it.each([5, 6, 7])('of a component has its message, and can be answered with type %i, too', async type => {
    const press = await pressed();
    const interaction = await submitted(submission(await shown(press)));
    const { message } = press as { message?: { id: string } };
    expect(interaction.message).toEqual(message);
    const { interaction: told } = await world.answer(interaction, { type, data: type === 7 ? { content: 'New' } : {} });
    if (type === 5) expect(told.response_message_id).not.toBe(message?.id);
    else expect(told.response_message_id).toBe(message?.id);
    await world.interactions.editMessage('1', interaction.token, '@original', { content: 'Newer' });
    expect(last('MESSAGE_UPDATE')).toMatchObject({ content: 'Newer', id: told.response_message_id });
  });

  it('of a component whose message is gone has none, and cannot update it', async () => {
    const command = await world.used();
    const data = { content: 'x', components: [row(button('open'))] };
    const { resource } = await world.answer(command, { type: 4, data });
    const body = {
      ...use({ type: 3, message_id: resource?.message?.id }),
      data: { component_type: 2, custom_id: 'open' },
    };
    const modal = await shown(await world.used(body));
    await world.interactions.deleteMessage('1', command.token, '@original');
    const interaction = await submitted(submission(modal));
    expect(interaction).not.toHaveProperty('message');
    expect((await refusal(world.answer(interaction, { type: 7 }))).paths).toEqual(['type']);
    await world.answer(interaction, { type: 4, data: { content: 'x' } });
  });

  it('fails when the application does not answer', async () => {
    await submitted(submission(await shown(await world.used())));
    await world.core.clock.advance(limits.interactionAnswerMs);
    expect(world.heard.at(-1)).toMatchObject({ name: 'INTERACTION_FAILURE', data: { nonce: 's1' } });
  });

  it('can be submitted once, also by many windows at a time', async () => {
    const modal = await shown(await world.used());
    const before = names().filter(name => name === 'INTERACTION_CREATE').length;
    const tries = [1, 2, 3].map(() => world.interactions.invoke(userRecord(ada), submission(modal)));
    const reasons = await Promise.all(
      tries.map(one =>
        one.then(
          () => 'sent',
          () => 'refused',
        ),
      ),
    );
    expect(reasons.sort()).toEqual(['refused', 'refused', 'sent']);
    expect(names().filter(name => name === 'INTERACTION_CREATE')).toHaveLength(before + 1);
    expect((await refusal(submitted(submission(modal)))).reason).toBe('unknown_interaction');
  });

  it('can be submitted while the token of the interaction that it answered is valid', async () => {
    const modal = await shown(await world.used());
    const late = await shown(await world.used());
    await world.core.clock.advance(limits.interactionTokenLifeMs - 1);
    await submitted(submission(modal));
    await world.core.clock.advance(1);
    expect((await refusal(submitted(submission(late)))).reason).toBe('unknown_interaction');
  });

  it('is rejected with the application, the channel, the guild or the user of another interaction', async () => {
    const modal = await shown(await world.used());
    const reason = async (fields: object, userId = ada) =>
      (await refusal(submitted(submission(modal, undefined, fields), userId))).reason;
    expect(await reason({ application_id: '3' })).toBe('unknown_application');
    expect(await reason({ application_id: '2' })).toBe('unknown_interaction');
    expect(await reason({ channel_id: '701' })).toBe('unknown_interaction');
    expect(await reason({ guild_id: null })).toBe('unknown_interaction');
    expect(await reason({}, ben)).toBe('unknown_interaction');
    await submitted(submission(modal));
  });

  it('can be submitted after a restart', async () => {
    const modal = await shown(await world.used());
    await world.core.clock.advance(1);
    const core = restarted(world, world.core.bus);
    const interactions = createInteractions(core);
    const stop = await interactions.start();
    await interactions.invoke(userRecord(ada), submission(modal));
    expect(await core.store.list('interactions')).toMatchObject([{ modal: { open: false } }, { type: 5 }]);
    stop();
  });

  it.each([
    ['another user', {}, ben],
    ['another channel', { channel_id: '701' }, ada],
    ['no guild', { guild_id: undefined }, ada],
    ['another application', { application_id: '2' }, ada],
  ])('is refused from %s', async (_, fields, userId) => {
    const modal = await shown(await world.used());
    expect((await refusal(submitted(submission(modal, [], fields), userId))).reason).toBe('unknown_interaction');
    await submitted(submission(modal));
  });

  it.each([
    ['an unknown id', { id: '999' }, 'unknown_interaction', []],
    ['no id', { id: undefined }, 'invalid_form_body', ['data.id']],
    ['no custom id', { custom_id: null }, 'invalid_form_body', ['data.custom_id']],
    ['another custom id', { custom_id: 'x' }, 'invalid_form_body', ['data.custom_id']],
    ['nothing', { components: undefined }, 'invalid_form_body', ['data.components']],
    [
      'a text too short',
      { components: [filled('what', 'x')] },
      'invalid_form_body',
      ['data.components.0.component.value'],
    ],
    [
      'a text too long',
      { components: [filled('what', 'x'.repeat(11))] },
      'invalid_form_body',
      ['data.components.0.component.value'],
    ],
    [
      'an unknown input',
      { components: [filled('what', 'xx'), filled('who', 'xx')] },
      'invalid_form_body',
      ['data.components.1.component.custom_id'],
    ],
  ])('is refused with %s, and stays open', async (_, data, reason, paths) => {
    const modal = await shown(await world.used());
    const body = submission(modal);
    const refused = await refusal(submitted({ ...body, data: { ...body.data, ...data } }));
    expect(refused).toMatchObject({ reason, paths });
    await submitted(body);
  });

  it('is rejected for a user who has left the guild', async () => {
    const modal = await shown(await world.used());
    await world.core.store.transact('place', transaction => {
      transaction.put('guilds', guild());
      transaction.delete('guild_members', guildId, ada);
    });
    expect((await refusal(submitted(submission(modal)))).reason).toBe('missing_access');
  });
});
