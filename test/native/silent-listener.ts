import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';

// Listens at the path with room for few, says so, and stops itself: a game that hangs. With a user id it listens as
// that user.
const [path = '', user] = process.argv.slice(2);
if (user) process.setuid?.(Number(user));
createServer(socket => socket.on('error', () => {}).end('accepted\n')).listen({ path, backlog: 1 }, () => {
  console.log('listening');
  if (!user) spawnSync('kill', ['-STOP', String(process.pid)]);
});
