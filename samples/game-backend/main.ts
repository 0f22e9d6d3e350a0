import { startGameBackend } from './server.ts';

/**
 * Starts the game's server by itself: `BOT_TOKEN`, `APPLICATION_ID`, `API_BASE` and, if you like, `PORT` come from the
 * environment, never from an argument, which every user of the machine could read.
 */
const backend = await startGameBackend({
  applicationId: need('APPLICATION_ID'),
  botToken: need('BOT_TOKEN'),
  apiBase: need('API_BASE'),
  port: Number(process.env.PORT ?? 0),
  log: line => process.stderr.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify({ event: 'ready', address: backend.address })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void backend.close());

function need(name: string): string {
  const value = process.env[name];
  if (value) return value;
  process.stderr.write(`${name} is missing. The game server needs APPLICATION_ID, BOT_TOKEN and API_BASE.\n`);
  process.exit(2);
}
