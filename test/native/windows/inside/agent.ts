import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

// Runs on Windows: calls what it is asked to over a connection, one line of JSON a call and an answer, because under Wine a
// process of Node has no usable output. Ends with the connection.
const socket = connect(Number(process.argv[2]), '127.0.0.1');
socket.on('close', () => process.exit());

for await (const line of createInterface({ input: socket })) {
  const { id, file, name, args } = JSON.parse(line);
  const answer = await call(file, name, args).then(
    value => ({ id, value }),
    error => ({ id, error: inspect(error) }),
  );
  socket.write(`${JSON.stringify(answer)}\n`);
}

async function call(file: string, name: string, args: readonly unknown[]): Promise<unknown> {
  const module = await import(pathToFileURL(file).href);
  return module[name](...args);
}
