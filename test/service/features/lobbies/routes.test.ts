import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lobby } from '../../../../src/model/lobby.ts';
import type { Service } from '../../../../src/service/service.ts';
import { ada, ben, call, rival, startTestService } from '../requests.ts';

let service: Service;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const created = async (body: unknown = {}): Promise<Lobby> =>
  (await call(service, 'POST', '/lobbies', { body })).body as Lobby;

describe('the lobby routes', () => {
  it('create with 201, read and edit with 200, delete with 204 and no body, again and again', async () => {
    const creation = await call(service, 'POST', '/lobbies', { body: { members: [{ id: ada }] } });
    expect(creation.status).toBe(201);
    expect(creation.headers.get('content-type')).toContain('application/json');
    const path = `/lobbies/${(creation.body as Lobby).id}`;

    const reading = await call(service, 'GET', path);
    expect([reading.status, reading.text]).toEqual([200, creation.text]);
    const edit = await call(service, 'PATCH', path, { body: { metadata: { map: 'dunes' } } });
    expect([edit.status, (edit.body as Lobby).metadata]).toEqual([200, { map: 'dunes' }]);
    expect((await call(service, 'GET', path)).text).toBe(edit.text);

    for (let time = 0; time < 2; time++) {
      const { status, text } = await call(service, 'DELETE', path);
      expect([status, text]).toEqual([204, '']);
    }
    const gone = await call(service, 'GET', path);
    expect([gone.status, gone.body]).toEqual([404, { message: 'Unknown Lobby', code: 10031 }]);
  });

  it('put a member with 200, both times, and delete it with 204, both times', async () => {
    const { id } = await created();
    const path = `/lobbies/${id}/members/${ben}`;
    for (const metadata of [{ team: 'red' }, { team: 'blue' }]) {
      const { status, body } = await call(service, 'PUT', path, { body: { metadata } });
      expect([status, body]).toEqual([200, { id: ben, metadata, flags: 0 }]);
    }
    for (let time = 0; time < 2; time++) expect((await call(service, 'DELETE', path)).status).toBe(204);
  });

  it.each([
    ['GET', '/lobbies/5', undefined],
    ['PATCH', '/lobbies/5', {}],
    ['PUT', `/lobbies/5/members/${ada}`, {}],
    ['DELETE', `/lobbies/5/members/${ada}`, undefined],
  ])('answer 10031 to %s of a missing lobby', async (method, path, body) => {
    const answer = await call(service, method, path, { body });
    expect([answer.status, answer.body]).toEqual([404, { message: 'Unknown Lobby', code: 10031 }]);
  });

  it('answer 10013 to an unknown user', async () => {
    const { id } = await created();
    const unknown = { message: 'Unknown User', code: 10013 };
    const put = await call(service, 'PUT', `/lobbies/${id}/members/999`, { body: {} });
    expect([put.status, put.body]).toEqual([404, unknown]);
    const creation = await call(service, 'POST', '/lobbies', { body: { members: [{ id: '999' }] } });
    expect([creation.status, creation.body]).toEqual([404, unknown]);
  });

  it('nest the faults of a body where they are', async () => {
    const body = { members: [{ id: ada }, { id: 'x', flags: 2 }], idle_timeout_seconds: 4 };
    const answer = await call(service, 'POST', '/lobbies', { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 50035,
      message: 'Invalid Form Body',
      errors: {
        members: { 1: { id: { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] }, flags: { _errors: [{}] } } },
        idle_timeout_seconds: { _errors: [{ code: 'NUMBER_TYPE_MIN' }] },
      },
    });
  });

  it('show an application its own lobbies only', async () => {
    const { id } = await created();
    expect((await call(service, 'GET', `/lobbies/${id}`, { as: rival })).status).toBe(404);
    expect((await call(service, 'DELETE', `/lobbies/${id}`, { as: rival })).status).toBe(204);
    expect((await call(service, 'GET', `/lobbies/${id}`)).status).toBe(200);
  });

  it('end an idle lobby when its time has come, not a millisecond before', async () => {
    const { id } = await created({ idle_timeout_seconds: 5 });
    await service.clock.advance(4999);
    expect((await call(service, 'GET', `/lobbies/${id}`)).status).toBe(200);
    await service.clock.advance(1);
    expect((await call(service, 'GET', `/lobbies/${id}`)).status).toBe(404);
  });
});
