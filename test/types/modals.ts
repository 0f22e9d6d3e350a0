/** Compile-only: what defining modals allows, what it refuses, and what handlers see. */
import { type Backend, defineModal, field, type ReceivedInteraction, router } from '../../src/backend/index.ts';
import type { ChannelId, RoleId, Snowflake, UserId } from '../../src/model/snowflake.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

const maps = [
  { value: 'quay', label: 'The quay' },
  { value: 'keep', label: 'The keep' },
] as const;

export const report = defineModal(
  {
    custom_id: 'report',
    title: 'Report',
    components: [
      field.text('name', 'Who?', { max_length: 40 }),
      field.paragraph('what', 'What?'),
      { type: 10, content: 'Where was it?' },
      field.select('map', 'Where?', { options: maps, max_values: 2 }),
      { type: 18, label: 'Since?', component: { type: 4, custom_id: 'since', style: 1 } },
    ],
  },
  async ({ values, argument, payload, reply, update }) => {
    yes<Same<typeof values.name, string>>();
    yes<Same<typeof values.what, string>>();
    yes<Same<typeof values.map, readonly ('quay' | 'keep')[]>>();
    yes<Same<typeof values.since, string>>();
    yes<Same<typeof argument, string | undefined>>();
    // @ts-expect-error there is no such input
    values.where;
    payload.message?.id satisfies string | undefined;
    await reply({ content: payload.data.custom_id });
    await update({ components: [] });
  },
);

defineModal(
  {
    custom_id: 'pick',
    title: 'Pick',
    components: [
      field.users('users', 'x'),
      field.roles('roles', 'x'),
      field.mentionables('any', 'x'),
      field.channels('channels', 'x', { channel_types: [0] }),
    ],
  },
  ({ values }) => {
    yes<Same<typeof values.users, readonly UserId[]>>();
    yes<Same<typeof values.roles, readonly RoleId[]>>();
    yes<Same<typeof values.any, readonly Snowflake[]>>();
    yes<Same<typeof values.channels, readonly ChannelId[]>>();
  },
);

defineModal(
  {
    custom_id: 'groups',
    title: 'Groups',
    components: [
      field.radio('side', 'x', { options: maps }),
      field.radio('maybe', 'x', { options: maps, required: false }),
      field.checkboxes('some', 'x', { options: maps }),
      field.checkbox('sure', 'x'),
    ],
  },
  ({ values }) => {
    yes<Same<typeof values.side, 'quay' | 'keep'>>();
    yes<Same<typeof values.maybe, 'quay' | 'keep' | null>>();
    yes<Same<typeof values.some, readonly ('quay' | 'keep')[]>>();
    yes<Same<typeof values.sure, boolean>>();
  },
);

const ban = defineModal(
  { custom_id: 'ban/:userId/:days', title: 'Ban', components: [field.text('why', 'Why?')] },
  ({ params, values }) => {
    yes<Same<typeof params, { readonly userId: string; readonly days: string }>>();
    yes<Same<typeof values.why, string>>();
    // @ts-expect-error there is no such parameter
    params.name;
  },
);
ban.withParams({ userId: '42', days: 7 }).custom_id satisfies string;
// @ts-expect-error a value is missing
ban.withParams({ userId: '42' });
// @ts-expect-error its custom id has no parameters
report.withParams;

// @ts-expect-error a select needs choices
field.select('map', 'Where?');
// @ts-expect-error a text has no choices
field.text('name', 'Who?', { options: maps });
// @ts-expect-error a modal has a title
defineModal({ custom_id: 'x', components: [field.text('a', 'x')] });
// @ts-expect-error a button is of messages
defineModal({ custom_id: 'x', title: 'x', components: [{ type: 2, style: 1, custom_id: 'a' }] });

export async function shows(interaction: ReceivedInteraction, backend: Backend): Promise<void> {
  await interaction.showModal(report, { argument: '5' });
  await interaction.showModal({ custom_id: 'x', title: 'x', components: [] });
  // @ts-expect-error a modal has components
  await interaction.showModal({ custom_id: 'x', title: 'x' });
  await backend.interactions.listen(
    router([], {
      modals: [report],
      components: [{ custom_id: 'join', use: ({ argument, update }) => update({ content: argument ?? 'x' }) }],
    }),
  );
}
