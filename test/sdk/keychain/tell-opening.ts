import { openKeychain } from '../../../src/sdk/keychain/open-keychain.ts';

// tell-opening.ts FOLDER: opens the system's keychain and prints what it is, or why there is none, as JSON.
const told = await openKeychain({ service: 'Starfall (test)', allow: ['system'], folder: process.argv[2] }).then(
  ({ backend, tier }) => ({ backend, tier }),
  ({ name, code, message }) => ({ name, code, message }),
);
console.log(JSON.stringify(told));
