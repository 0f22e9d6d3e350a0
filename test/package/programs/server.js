// A game's server: opens a lobby, and closes it.
import { createBackend } from '@rallypoint/sdk/backend';

const { base, applicationId, botToken, userId } = JSON.parse(process.env.GAME ?? '{}');
const backend = createBackend({ applicationId, botToken, baseUrl: base });

async function host() {
  const lobby = await backend.lobbies.create({ metadata: { map: 'harbour' }, members: [{ id: userId }] });
  const { members } = await backend.lobbies.get(lobby.id);
  backend.close();
  return members.length;
}

host().then(members => console.log(JSON.stringify({ members })));
