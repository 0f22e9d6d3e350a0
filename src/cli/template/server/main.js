import { createBackend } from '@rallypoint/sdk/backend';
import { startServer } from './rally.js';

// Without these variables, the service and the application of this folder.
const {
  RALLYPOINT_BASE_URL: baseUrl = 'http://127.0.0.1:8910',
  RALLYPOINT_APPLICATION_ID: applicationId = '1',
  RALLYPOINT_BOT_TOKEN: botToken = 'development-bot-token',
} = process.env;

const backend = createBackend({ baseUrl, applicationId, botToken });
const lobby = await startServer(backend);
console.log(`Lobby ${lobby.id} is open, and /rally joins it. Stop the server with Ctrl+C.`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await backend.lobbies.delete(lobby.id);
    await backend.close();
  });
}
