import type { Command } from '../../../src/model/command.ts';
import type { InvocationInput } from '../../../src/model/interaction.ts';
import type { ServiceAddresses } from '../../../src/service/index.ts';
import { callApi, starfall } from '../service/starfall.ts';

const [guild] = starfall.guilds;

/**
 * What a player's own client does when the player sends a command in the guild's channel.
 *
 * @param filledIn the values of its options; type 4 while one of them is typed
 */
export async function useCommand(
  service: ServiceAddresses,
  command: Command,
  userId: string,
  { type = 2, options }: Pick<InvocationInput['data'], 'options'> & { readonly type?: 2 | 4 } = {},
): Promise<void> {
  const session = await fetch(`${service.controlBase}/users/${userId}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.controlToken}` },
  });
  const { token } = (await session.json()) as { token: string };
  const { id, version, name, type: commandType } = command;
  const use = {
    type,
    application_id: command.application_id,
    guild_id: guild.id,
    channel_id: guild.channels[0].id,
    data: { id, version, name, type: commandType, ...(options && { options }) },
  };
  const headers = { authorization: token, 'content-type': 'application/json' };
  const { status, body } = await callApi(service, 'POST', '/interactions', use, headers);
  if (status !== 204) throw new Error(`The use was refused: ${JSON.stringify(body)}`);
}
