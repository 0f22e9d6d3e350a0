import type { ComponentType, SubmittedComponent } from '../../../src/model/component.ts';
import type { ModalCreated } from '../../../src/model/gateway.ts';
import type { Message } from '../../../src/model/message.ts';
import type { ServiceAddresses } from '../../../src/service/index.ts';
import { callApi, starfall } from '../service/starfall.ts';
import { sessionToken } from '../service/tokens.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const place = { application_id: application.id, guild_id: guild.id, channel_id: guild.channels[0].id };

/** What a player's own client does when the player uses a component of a message in the guild's channel. */
export async function useComponent(
  service: ServiceAddresses,
  { id }: Pick<Message, 'id'>,
  userId: string,
  data: { component_type: ComponentType; custom_id: string; values?: readonly string[] },
): Promise<void> {
  await send(service, userId, { type: 3, ...place, message_id: id, data });
}

/** What a player's own client does when the player has filled in a modal that it was told to show. */
export async function submitModal(
  service: ServiceAddresses,
  { id, custom_id }: Pick<ModalCreated, 'id' | 'custom_id'>,
  userId: string,
  components: readonly SubmittedComponent[],
): Promise<void> {
  await send(service, userId, { type: 5, ...place, data: { id, custom_id, components } });
}

async function send(service: ServiceAddresses, userId: string, use: object): Promise<void> {
  const headers = { authorization: await sessionToken(service, userId), 'content-type': 'application/json' };
  const { status, body } = await callApi(service, 'POST', '/interactions', use, headers);
  if (status !== 204) throw new Error(`The use was refused: ${JSON.stringify(body)}`);
}
