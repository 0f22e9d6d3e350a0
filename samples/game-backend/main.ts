import { startGameBackend } from './server.ts';

/**
 * Starts the game's server by itself. Its options come from the environment: `PORT`, if you want a certain one, and the
 * three below. The bot token is never an argument, because every user of the machine can read those.
 */
const backend = await startGameBackend({
  baseUrl: need('RALLYPOINT_BASE_URL'),
  applicationId: need('RALLYPOINT_APPLICATION_ID'),
  botToken: need('RALLYPOINT_BOT_TOKEN'),
  port: Number(process.env.PORT ?? 0),
  log: line => process.stderr.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify({ event: 'ready', address: backend.address })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void backend.close());

function need(name: string): string {
  const value = process.env[name];
  if (value) return value;
  process.stderr.write(
    `${name} is not set. The game server needs RALLYPOINT_BASE_URL, RALLYPOINT_APPLICATION_ID and RALLYPOINT_BOT_TOKEN.\n`,
  );
  process.exit(2);
}
