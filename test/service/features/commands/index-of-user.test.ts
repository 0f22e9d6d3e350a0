import { beforeEach, expect, it } from 'vitest';
import type { CommandIndex } from '../../../../src/model/command-index.ts';
import { type CommandIndexes, createCommandIndexes } from '../../../../src/service/features/commands/index-of-user.ts';
import { command } from '../interactions/world.ts';
import { ada, guildRecord, makeWorld, putGuild, userRecord, type World } from '../support.ts';

let world: World;
let indexes: CommandIndexes;
const reader = { user: userRecord(ada), locale: undefined };

/** Ada has installed both applications for herself; the guild, of which she is a member, has starfall alone. */
beforeEach(async () => {
  world = await makeWorld();
  indexes = createCommandIndexes(world.core);
  await putGuild(
    world.core,
    guildRecord({ roles: [{ id: '5', name: '@everyone', permissions: '8', position: 0 }] }),
    ada,
  );
  await world.core.store.transact('commands', transaction => {
    for (const application_id of ['1', '2']) {
      const name = `of-${application_id}`;
      transaction.put(
        'commands',
        command({ id: `90${application_id}`, application_id, scope: application_id, name, integration_types: [1] }),
      );
      const scopes = ['applications.commands'];
      transaction.put('authorizations', { id: application_id, application_id, user_id: ada, scopes });
    }
  });
});

const names = ({ application_commands }: CommandIndex) => application_commands.map(({ name }) => name).toSorted();

it("shows a user's own client the commands of every application that the user has installed", async () => {
  expect(names(await indexes.ofUser(reader))).toEqual(['of-1', 'of-2']);
  expect(names(await indexes.ofGuild(reader, '5'))).toEqual(['of-1', 'of-2']);
});

it('shows a user who asks through an application the commands of that application alone', async () => {
  for (const [application, own] of [
    [world.starfall, 'of-1'],
    [world.rival, 'of-2'],
  ] as const) {
    expect(names(await indexes.ofUser({ ...reader, application }))).toEqual([own]);
    expect(names(await indexes.ofGuild({ ...reader, application }, '5'))).toEqual([own]);
  }
});
