import { openKeychain } from '../../../src/sdk/keychain/open-keychain.ts';

// What a game does over two starts, each with a keychain opened anew; prints what each step gave as JSON.
const open = () => openKeychain({ service: 'Starfall (test)', allow: ['system'] });
const secret = 'größer ✨';

const first = await open();
await first.set('ada', secret);
const second = await open();
const kept = await second.get('ada');
const deleted = [await second.delete('ada'), await second.delete('ada')];
const left = await first.get('ada');
console.log(JSON.stringify({ tier: second.tier, kept: kept === secret, deleted, left: left ?? null }));
