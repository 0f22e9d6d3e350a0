import { createInterface } from 'node:readline';
import { listenForRedirects } from '../../../src/sdk/redirect/listen.ts';

/**
 * A game of its own process: `node game.ts FOLDER [arguments…]`, with an empty FOLDER for the default. Lines on stdin: `wait STATE` waits for the address that
 * carries it, `close` closes. Every line on stdout is a document. With `--one-window` a second copy quits.
 */
const [folder = '', ...argv] = process.argv.slice(2);
let awaited: string | undefined;
const say = (document: unknown) => process.stdout.write(`${JSON.stringify(document)}\n`);

const client = {
  handleRedirect(address: string): boolean {
    const isAwaited = awaited !== undefined && new URL(address).searchParams.get('state') === awaited;
    if (isAwaited) awaited = undefined;
    say({ event: 'handed', isAwaited });
    return isAwaited;
  },
};

try {
  const receiver = await listenForRedirects({
    client,
    scheme: 'discord-1',
    folder: folder === '' ? undefined : folder,
    argv,
    onAccepted: () => say({ event: 'accepted' }),
  });
  say({ event: 'listening', isFirst: receiver.isFirstInstance, startAddress: receiver.startAddress ?? null });
  if (argv.includes('--one-window') && !receiver.isFirstInstance) process.exit();
  createInterface(process.stdin).on('line', line => {
    const [word, value] = line.split(' ');
    if (word === 'wait') awaited = value;
    if (word === 'close') receiver.close();
    say({ event: 'done', line });
  });
} catch (error) {
  say({ event: 'failed', code: Object(error).code, message: String(error) });
}
