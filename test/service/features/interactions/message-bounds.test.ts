import { beforeEach, describe, expect, it } from 'vitest';
import type { Component } from '../../../../src/model/component.ts';
import type { Interaction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { Message } from '../../../../src/model/message.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { button, row, stringSelect, textInput } from '../../../support/commands/components.ts';
import { ben, refusal } from '../support.ts';
import { type InteractionWorld, openInteractionWorld, use } from './world.ts';

const hello = { type: 4, data: { content: 'Hello' } };

let world: InteractionWorld;
let interaction: Interaction;
beforeEach(async () => {
  world = await openInteractionWorld();
  interaction = await world.used();
});

const follow = (body: unknown, { token }: Pick<Interaction, 'token'> = interaction) =>
  world.interactions.followUp('1', token, body);
const edit = (ref: string, body: unknown) => world.interactions.editMessage('1', interaction.token, ref, body);
const bytesOf = (message: Message) => Buffer.byteLength(JSON.stringify(message));

const address = `https://a.example/${'x'.repeat(2000)}`;
const part = { url: address, icon_url: address };
/** Some 100 KiB as JSON. */
const large = { embeds: Array.from({ length: 10 }, () => ({ url: address, author: part, footer: part, image: part })) };

describe('the follow-ups of an interaction', () => {
  it(`are ${limits.followUpsMax} at most, however many were deleted`, async () => {
    await world.answer(interaction, hello);
    for (let n = 1; n < limits.followUpsMax; n++) await follow({ content: `${n}` });
    const { id } = await follow({ content: 'last' });
    await world.interactions.deleteMessage('1', interaction.token, id);
    expect((await refusal(follow({ content: 'more' }))).fault).toMatchObject({
      reason: 'too_many_follow_ups',
      message: `Maximum number of follow-up messages reached (${limits.followUpsMax})`,
    });
    expect(await edit('@original', { content: 'Bye' })).toMatchObject({ content: 'Bye' });
  });
});

describe('a message of an interaction', () => {
  const emoji = '🎲';
  const wide = { label: emoji.repeat(100), description: emoji.repeat(100) };
  const options = (from: number) =>
    Array.from({ length: 25 }, (_, n) => ({ ...wide, value: `${emoji.repeat(90)}${from + n}` }));
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => row({ ...stringSelect(`s${n}`, []), options: options(0) }));

  it('has at most 256 KiB as JSON, in an answer, a follow-up and an edit', async () => {
    const tooLarge = { reason: 'invalid_form_body', paths: [''] };
    expect(await refusal(world.answer(interaction, { type: 4, data: { components: rows(40) } }))).toMatchObject(
      tooLarge,
    );
    await world.answer(interaction, hello);
    expect(await refusal(follow({ components: rows(40) }))).toMatchObject(tooLarge);
    expect(await refusal(edit('@original', { components: rows(40) }))).toMatchObject(tooLarge);
    expect(bytesOf(await edit('@original', { components: rows(8) }))).toBeLessThan(limits.messageBytesMax);
    expect(world.heard.filter(({ data }) => JSON.stringify(data).length > limits.messageBytesMax)).toEqual([]);
  });

  it('keeps and sends on no field that is unknown, nor an address that a browser would run', async () => {
    const stuff = { stuff: 'x'.repeat(1000) };
    const data = {
      embeds: [{ title: 'T', footer: { text: 'F', ...stuff }, ...stuff }],
      components: [
        row({ ...button('b'), emoji: { name: emoji, ...stuff }, ...stuff } as Component),
        { ...row({ ...stringSelect('s', []), options: [{ label: 'a', value: 'a', ...stuff }], ...stuff }), ...stuff },
      ],
      ...stuff,
    };
    await world.answer(interaction, { type: 4, data });
    const shown = JSON.stringify([await world.interactions.message('1', interaction.token, '@original'), world.heard]);
    expect(shown).toContain(emoji);
    expect(shown).not.toContain('stuff');
    expect(await refusal(follow({ embeds: [{ title: 'x', url: 'javascript:0' }] }))).toMatchObject({
      paths: ['embeds.0.url'],
    });
  });

  it('and a modal have no unknown fields', async () => {
    const stuff = { stuff: 'x'.repeat(1000) };
    const input = { ...textInput('t', { label: 'Text' }), ...stuff };
    const components = [{ type: 1, components: [input], ...stuff }];
    await world.answer(interaction, { type: 9, data: { custom_id: 'm', title: 'M', components, ...stuff } });
    const [record] = await world.core.store.list('interactions');
    expect(JSON.stringify([record, world.heard])).toContain('"label":"Text"');
    expect(JSON.stringify([record, world.heard])).not.toContain('stuff');
  });
});

describe('the messages of an application to the interactions of one user', () => {
  const tooMany = { reason: 'too_many_follow_ups', message: expect.stringContaining('bytes') };
  const refused = async (call: Promise<unknown>) => (await refusal(call)).fault;

  /** Sends large messages until one does not fit, and small ones that do. */
  async function fill(): Promise<{ readonly sent: readonly Message[]; readonly used: Interaction }> {
    const { interactionMessagesBytesMax: max } = serviceLimits;
    const sent: Message[] = [];
    const sum = () => sent.reduce((bytes, message) => bytes + bytesOf(message), 0);
    for (let used = interaction; ; used = await world.used()) {
      await world.answer(used, hello);
      sent.push(await world.interactions.message('1', used.token, '@original'));
      for (let n = 0; n < limits.followUpsMax; n++) {
        const message = await follow(large, used).catch(error => {
          expect(error).toMatchObject(tooMany);
          expect(sum() + bytesOf(sent.at(-1) as Message)).toBeGreaterThan(max);
        });
        if (!message) return { sent, used };
        sent.push(message);
        expect(sum()).toBeLessThanOrEqual(max);
      }
    }
  }

  it('have a bound in bytes, for this user alone, until the interactions end', async () => {
    const { used } = await fill();
    expect(await refused(follow(large, used))).toMatchObject(tooMany);
    await follow({ content: 'A small one fits.' }, used);
    const bens = await world.used(use(), ben);
    await world.answer(bens, hello);
    await follow(large, bens);
    await world.core.clock.advance(limits.interactionTokenLifeMs);
    const later = await world.used();
    await world.answer(later, hello);
    await follow(large, later);
  });

  it('make room when they are deleted or become smaller', async () => {
    const { sent, used } = await fill();
    const [first, second] = sent.slice(1) as [Message, Message];
    await edit(first.id, { embeds: [], content: 'x' });
    await follow(large, used);
    expect(await refused(follow(large, used))).toMatchObject(tooMany);
    await world.interactions.deleteMessage('1', interaction.token, second.id);
    await follow(large, used);
    expect(await refused(follow(large, used))).toMatchObject(tooMany);
  });
});
