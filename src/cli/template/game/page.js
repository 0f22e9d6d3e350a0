import { openClient } from '@rallypoint/sdk/electron/renderer';

const client = openClient();
const status = byId('status');
const signIn = byId('sign-in');
const lobbies = byId('lobbies');

signIn.addEventListener('click', async () => {
  try {
    await client.signIn(); // The browser opens.
    await client.connect();
    // Players who know the secret meet in one lobby. The lobby of the server is joined by /rally.
    await client.lobbies.join('a secret of the party', { lobbyMetadata: { map: 'lighthouse' } });
  } catch (error) {
    status.textContent = error instanceof Error ? error.message : String(error);
  }
});

client.status$.subscribe(connection => {
  status.textContent = connection.status;
  signIn.hidden = connection.status !== 'disconnected';
});

client.lobbies$.subscribe(all => {
  lobbies.replaceChildren(
    ...all.map(({ metadata, members }) => {
      const line = document.createElement('li');
      line.textContent = `${metadata.map}: ${members.map(({ displayName }) => displayName).join(', ')}`;
      return line;
    }),
  );
});

/** @param {string} id */
function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element with the id ${id}.`);
  return element;
}
