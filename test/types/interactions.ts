/** Compile-only: components with parameters, collectors, embeds and files. */
import {
  type ComponentUse,
  customId,
  defineComponent,
  embed,
  type InteractionEndpoint,
  type ReceivedInteraction,
  router,
} from '../../src/backend/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

export const join = defineComponent('join/:lobbyId/:team', async ({ params, values, payload, update }) => {
  yes<Same<typeof params, { readonly lobbyId: string; readonly team: string }>>();
  values satisfies readonly string[];
  payload.message.id satisfies string;
  // @ts-expect-error there is no such parameter
  params.lobby;
  await update({ content: params.lobbyId });
});
export const leave = defineComponent('leave', ({ params }) => {
  // @ts-expect-error it has no parameters
  params.lobbyId;
});

join.customId({ lobbyId: '1', team: 2 });
leave.customId();
customId('join/:lobbyId', { lobbyId: '1' });
// @ts-expect-error a parameter is missing
join.customId({ lobbyId: '1' });
// @ts-expect-error there is no such parameter
customId('join/:lobbyId', { lobbyId: '1', team: 'red' });
// @ts-expect-error it has parameters
customId('join/:lobbyId');
// @ts-expect-error it has none
leave.customId({ lobbyId: '1' });
// @ts-expect-error an object is no value
customId('join/:lobbyId', { lobbyId: {} });

router([], {
  components: [join, leave, { custom_id: 'old', use: ({ argument }) => void (argument satisfies string | undefined) }],
});
// @ts-expect-error a component has a custom id or a pattern
router([], { components: [{ use: () => {} }] });

export async function collects({ awaitComponent, collectComponents }: ReceivedInteraction): Promise<void> {
  const pressed = await awaitComponent({
    customIds: ['yes'],
    timeoutMs: 1_000,
    filter: ({ values }) => values.length > 0,
  });
  yes<Same<typeof pressed, ComponentUse | undefined>>();
  // @ts-expect-error none may have come
  pressed.update({});
  for await (const use of collectComponents({ signal: AbortSignal.timeout(1_000) })) {
    yes<Same<typeof use, ComponentUse>>();
  }
  // @ts-expect-error ids are a list
  await awaitComponent({ customIds: 'yes' });
}

export async function sends({ reply, followUp, editReply }: ReceivedInteraction): Promise<void> {
  await reply({ embeds: [embed({ title: 'x', color: '#ffffff' }), { title: 'plain', fields: [] }] });
  await followUp({ files: [{ name: 'a.txt', content: 'x' }] });
  await editReply({ files: [{ name: 'a.png', content: new Uint8Array(), type: 'image/png', description: 'x' }] });
  // @ts-expect-error a file has a name
  await reply({ files: [{ content: 'x' }] });
  // @ts-expect-error a color begins with #
  embed({ color: 'ffffff' });
}

export async function fits(endpoint: InteractionEndpoint): Promise<void> {
  const { default: express } = await import('express');
  const { Hono } = await import('hono');
  express().post('/interactions', endpoint.handleRequest);
  new Hono().post('/interactions', context => endpoint.fetch(context.req.raw));
}
