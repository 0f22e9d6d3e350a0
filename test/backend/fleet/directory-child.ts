import { fileLobbyDirectory } from '../../../src/backend/fleet/file-directory.ts';

/** A process that wins as many of the rounds as it can: `path`, `name`, `rounds`; prints the rounds it has won. */
const [path = '', name = '', rounds = '0'] = process.argv.slice(2);
const directory = fileLobbyDirectory(path);
const won: number[] = [];
for (let round = 0; round < Number(rounds); round++) {
  if (await directory.compareAndSet(`round ${round}`, undefined, name)) won.push(round);
  for (;;) {
    const count = await directory.get('count');
    if (await directory.compareAndSet('count', count, String(Number(count ?? 0) + 1))) break;
  }
}
directory.close();
console.log(JSON.stringify(won));
