import { createInterface } from 'node:readline';
import { openKeychain } from '../../../src/sdk/keychain/open-keychain.ts';
import { numberedSecret } from './numbered-secret.ts';

// write-secrets.ts FOLDER WRITER: for each line it reads, sets the next secret of one account, and prints its number when
// it is kept.
const [folder, writer = ''] = process.argv.slice(2);
const keychain = await openKeychain({ service: 'Starfall', allow: ['encrypted-file'], folder });
let number = 0;
for await (const _line of createInterface(process.stdin)) {
  await keychain.set('ada', numberedSecret(writer, number));
  console.log(number++);
}
