import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';

// A game that was started: tells a socket how, and ends.
const [report = '', ...args] = process.argv.slice(2);
const link = (path: string) => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};
// Fields behind the name, which may hold anything: state, parent, process group, session.
const [, , , session] = readFileSync('/proc/self/stat', 'utf8')
  .replace(/^.*\) /, '')
  .split(' ');
const files = readdirSync('/proc/self/fd').map(file => link(`/proc/self/fd/${file}`));
const told = {
  args,
  leadsSession: Number(session) === process.pid,
  standard: [0, 1, 2].map(file => link(`/proc/self/fd/${file}`)),
  inherited: files.filter(file => file?.endsWith('rallypoint-forwarder')),
  folder: process.cwd(),
};
connect(report, function (this: import('node:net').Socket) {
  this.end(`${JSON.stringify(told)}\n`);
});
