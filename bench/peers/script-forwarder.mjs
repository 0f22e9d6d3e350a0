// The same in a script: what a handler written for Node does at least.
import { connect } from 'node:net';

const connection = connect(process.argv[2]);
connection.write(`${process.argv.at(-1)}\n`);
connection.once('data', () => connection.destroy());
