import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { serve, serverOptions } from '../child.ts';

/** The limit of durable writes: bare `node:http` before SQLite, all inserts of one turn in one synced transaction. */
const { folder, answer } = serverOptions<{
  folder: string;
  answer: { status: number; headers: Record<string, string>; body: string };
}>();

const database = new DatabaseSync(join(folder, 'limit.sqlite'));
database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536');
database.exec('create table lobbies (id text primary key, body text not null) without rowid');
database.exec('create table members (lobby text, id text, body text not null, primary key (lobby, id)) without rowid');
const insertLobby = database.prepare('insert into lobbies values (?, ?)');
const insertMember = database.prepare('insert into members values (?, ?, ?)');

interface Waiting {
  readonly body: string;
  readonly response: ServerResponse;
}
let waiting: Waiting[] = [];
let next = 0;

function flush(): void {
  const batch = waiting;
  waiting = [];
  database.exec('begin');
  for (const { body } of batch) {
    const id = String(10 ** 15 + next++);
    const { members, ...lobby } = JSON.parse(body) as { members: { id: string }[] };
    insertLobby.run(id, JSON.stringify(lobby));
    for (const member of members) insertMember.run(id, member.id, JSON.stringify(member));
  }
  database.exec('commit');
  for (const { response } of batch) {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ body: Buffer.concat(chunks).toString(), response });
  });
});

server.listen(0, '127.0.0.1', () => {
  const close = async () => {
    server.closeAllConnections();
    server.close();
    database.close();
  };
  serve({ port: (server.address() as AddressInfo).port }, close);
});
