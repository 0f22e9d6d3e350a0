import { defineCommand, router } from '@rallypoint/sdk/backend';

/**
 * Opens a lobby, registers /rally, and brings everybody who uses it into the lobby.
 *
 * @param {import('@rallypoint/sdk/backend').Backend} backend
 */
export async function startServer(backend) {
  // A lobby ends when nobody has been connected for five minutes, unless it says otherwise. This one stays for a week.
  const lobby = await backend.lobbies.create({ metadata: { map: 'harbour' }, idle_timeout_seconds: 604_800 });
  const rally = defineCommand({ name: 'rally', description: 'Joins the party' }, async ({ user, reply }) => {
    await backend.lobbies.putMember(lobby.id, user.id);
    await reply({ content: `${user.global_name ?? user.username} is on the way to the ${lobby.metadata?.map}.` });
  });
  await backend.commands.deploy(await backend.commands.plan([rally]));
  await backend.interactions.listen(router([rally]));
  return lobby;
}
