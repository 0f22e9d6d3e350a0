import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command, CommandOption } from '../../../../src/model/command.ts';
import { treeToIssues } from '../../../../src/model/errors/issue.ts';
import type { CommandInteraction, Interaction, ModalInteraction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { type Attachment, messageFlags } from '../../../../src/model/message.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { labelled } from '../../../support/commands/components.ts';
import { isShared } from '../../../support/engines/is-shared.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { sessionToken } from '../../../support/service/tokens.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada] = starfall.users;
const place = { application_id: application.id, guild_id: guild.id, channel_id: guild.channels[0].id };
const options: readonly CommandOption[] = [
  { type: 11, name: 'map', description: 'x', file_types: ['.txt', 'image'] },
  { type: 11, name: 'other', description: 'x' },
];

let service: Service;
let bot: GatewayClient;
let command: Command;
let session: string;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  const path = `/applications/${application.id}/commands`;
  command = (await callApi(service, 'POST', path, { name: 'upload', description: 'x', options })).body as Command;
  session = await sessionToken(service, ada.id);
  bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
});
afterAll(async () => {
  await bot.end();
  await service.close();
});

async function send(method: string, path: string, payload: object, files: readonly File[], authorization?: string) {
  const form = new FormData();
  form.set('payload_json', JSON.stringify(payload));
  for (const [i, file] of files.entries()) form.set(`files[${i}]`, file);
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const answer = await fetch(`${service.apiBase}/v10${path}`, { method, body: form, headers });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const text = (content: string | Uint8Array<ArrayBuffer>, name = 'map.txt', type = 'text/plain') =>
  new File([content], name, { type });
const useOf = (values: readonly object[]) => {
  const { id, version, name, type } = command;
  return { type: 2, ...place, data: { id, version, name, type, options: values } };
};

/** Uses the command and gives what the bot heard of it. */
async function used<Heard extends Interaction = CommandInteraction>(
  use: object = useOf([]),
  files: readonly File[] = [],
): Promise<Heard> {
  const uses = () => bot.frames.filter(({ t }) => t === 'INTERACTION_CREATE');
  const before = uses().length;
  expect(await send('POST', '/interactions', use, files, session)).toMatchObject({ status: 204 });
  await bot.until(() => uses().length > before);
  return uses().at(-1)?.d as Heard;
}

/** Answers with files, and gives what they are shown as. */
async function answered(...files: readonly File[]): Promise<readonly Attachment[]> {
  const { id, token } = await used();
  const path = `/interactions/${id}/${token}/callback?with_response=true`;
  const { status, body } = await send('POST', path, { type: 4 }, files);
  expect(status).toBe(200);
  return body.resource.message.attachments;
}

const unknownFile = 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND';
const v2 = (...components: readonly object[]) => ({ flags: messageFlags.IS_COMPONENTS_V2, components });

describe('a file of a message', () => {
  it('is served at its address as it was sent', async () => {
    const [attachment] = await answered(text('Here be dragons'));
    expect(attachment).toMatchObject({ filename: 'map.txt', size: 15, content_type: 'text/plain' });
    const answer = await fetch(attachment?.url ?? '');
    expect(await answer.text()).toBe('Here be dragons');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    expect(attachment?.proxy_url).toBe(attachment?.url);
  });

  it.each(['text/html', 'image/svg+xml', '', 'text/plain; charset=x'])(
    'of type %j is saved, never shown',
    async type => {
      const [attachment] = await answered(text('<script>', 'a.html', type));
      const { headers } = await fetch(attachment?.url ?? '');
      expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        'application/octet-stream',
        'attachment',
      ]);
    },
  );

  it('is served only at its whole address', async () => {
    const [attachment] = await answered(text('x'));
    const address = new URL(attachment?.url ?? '');
    expect(address.searchParams.get('key')?.length).toBeGreaterThanOrEqual(22);
    for (const key of [undefined, '', 'x', '__proto__']) {
      const { status } = await fetch(`${address.origin}${address.pathname}${key === undefined ? '' : `?key=${key}`}`);
      expect(status).toBe(404);
    }
    const { status } = await fetch(attachment?.url.replace(`/${attachment.id}/`, '/1/') ?? '');
    expect(status).toBe(404);
  });

  it.each(['filename', 'description'])('is rejected with 50035 for a %s with a lone surrogate', async field => {
    const { id, token } = await used();
    const data = { attachments: [{ id: 0, [field]: 'a\ud800' }] };
    const answer = await send('POST', `/interactions/${id}/${token}/callback`, { type: 4, data }, [text('x')]);
    const fault = { _errors: [{ code: 'STRING_TYPE_CONVERT' }] };
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { data: { attachments: { 0: { [field]: fault } } } } },
    });
  });

  it.each([
    [limits.attachmentBytesMax - 1, 200],
    [limits.attachmentBytesMax, 200],
    [limits.attachmentBytesMax + 1, 413],
  ])('of %i bytes is answered with %i', async (size, status) => {
    const { id, token } = await used();
    const path = `/interactions/${id}/${token}/callback?with_response=true`;
    const answer = await send('POST', path, { type: 4 }, [text(new Uint8Array(size))]);
    expect(answer.status).toBe(status);
    if (status === 413) expect(answer.body.code).toBe(40005);
    else expect(answer.body.resource.message.attachments[0].size).toBe(size);
  });

  it('is shown by its address in the four places of an embed that name it', async () => {
    const { id, token } = await used();
    const url = 'attachment://map 1.png';
    const web = 'https://a.example/b.png';
    const embeds = [
      {
        image: { url },
        thumbnail: { url },
        author: { name: 'A', icon_url: url },
        footer: { text: 'F', icon_url: url },
      },
      { image: { url: web }, author: { url: web, icon_url: web } },
    ];
    const path = `/interactions/${id}/${token}/callback?with_response=true`;
    const { body } = await send('POST', path, { type: 4, data: { embeds } }, [text('x', 'map 1.png', 'image/png')]);
    const { message } = body.resource;
    const { url: at, proxy_url } = message.attachments[0];
    expect(message.embeds).toEqual([
      {
        type: 'rich',
        image: { url: at, proxy_url },
        thumbnail: { url: at, proxy_url },
        author: { name: 'A', icon_url: at, proxy_icon_url: proxy_url },
        footer: { text: 'F', icon_url: at, proxy_icon_url: proxy_url },
      },
      { type: 'rich', image: { url: web }, author: { url: web, icon_url: web } },
    ]);
    const original = `/webhooks/${application.id}/${token}/messages/@original`;
    const edit = { embeds: [{ image: { url } }], content: 'kept' };
    const edited = await send('PATCH', original, edit, []);
    expect(edited.body.embeds).toEqual([{ type: 'rich', image: { url: at, proxy_url } }]);
    const without = { ...edit, attachments: [] };
    expect(await send('PATCH', original, without, [])).toMatchObject({
      status: 400,
      body: { errors: { embeds: { 0: { image: { url: { _errors: [{ code: unknownFile }] } } } } } },
    });
  });

  it.each([
    ['an embed', { embeds: [{ footer: { text: 'F', icon_url: 'attachment://b.png' } }] }, 'embeds.0.footer.icon_url'],
    [
      'a gallery',
      v2({ type: 12, items: [{ media: { url: 'attachment://b.png' } }] }),
      'components.0.items.0.media.url',
    ],
    ['a file', v2({ type: 13, file: { url: 'attachment://b.png' } }), 'components.0.file.url'],
  ])('that was not sent is rejected where %s names it', async (_, data, path) => {
    const { id, token } = await used();
    const callback = `/interactions/${id}/${token}/callback`;
    const answer = await send('POST', callback, { type: 4, data }, [text('x', 'a.png', 'image/png')]);
    expect(answer).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(treeToIssues(answer.body.errors)).toMatchObject([{ path: ['data', ...path.split('.')], code: unknownFile }]);
    expect(await send('POST', callback, { type: 4 }, [text('x')])).toMatchObject({ status: 204 });
    const followUp = await send('POST', `/webhooks/${application.id}/${token}`, data, []);
    expect(treeToIssues(followUp.body.errors)).toMatchObject([{ path: path.split('.'), code: unknownFile }]);
  });

  it.each([1, 100, 101, 255])('with a name of %i characters is served', async length => {
    for (const character of ['x', '海', '🎲', '%', '/']) {
      const [attachment] = await answered(text('Here', character.repeat(length)));
      expect(await (await fetch(attachment?.url ?? '')).text()).toBe('Here');
    }
  });

  it.each(['', '.', '..', 'a\0b', '\0'])(
    'with the name %j, which no address can have, is served under another',
    async name => {
      const { id, token } = await used();
      const payload = { type: 4, data: { attachments: [{ id: 0, filename: name }] } };
      const path = `/interactions/${id}/${token}/callback?with_response=true`;
      const { status, body } = await send('POST', path, payload, [text('Here', 'a.txt')]);
      expect(status).toBe(200);
      const [attachment] = body.resource.message.attachments;
      expect(attachment.filename).toMatch(/^(?:ab|file)$/);
      expect(await (await fetch(attachment.url)).text()).toBe('Here');
    },
  );

  it('with a name of 256 characters is rejected, in the form and in its description', async () => {
    const { id, token } = await used();
    const path = `/interactions/${id}/${token}/callback`;
    const code = 'BASE_TYPE_MAX_LENGTH';
    const inForm = await send('POST', path, { type: 4 }, [text('x', '🎲'.repeat(256))]);
    expect(treeToIssues(inForm.body.errors)).toMatchObject([{ path: ['files[0]'], code }]);
    const data = { attachments: [{ id: 0, filename: 'x'.repeat(256), description: 'x'.repeat(1025) }] };
    const described = await send('POST', path, { type: 4, data }, [text('x')]);
    expect(treeToIssues(described.body.errors)).toMatchObject([
      { path: ['data', 'attachments', '0', 'filename'], code },
      { path: ['data', 'attachments', '0', 'description'], code },
    ]);
  });

  it('is rejected in a form that is too large as a whole', async () => {
    const { id, token } = await used();
    const third = new Uint8Array(serviceLimits.formBodyBytesMax / 3);
    const files = [text(third), text(third), text(third)];
    expect(await send('POST', `/interactions/${id}/${token}/callback`, { type: 4 }, files)).toMatchObject({
      status: 413,
      body: { code: 40005 },
    });
  });

  const note = isShared ? ' (skipped: PostgreSQL keeps files up to a larger bound)' : '';
  it.skipIf(isShared)(
    `is removed for newer ones of its owner, who keeps 32 MiB, and not for those of others${note}`,
    async () => {
      const { data } = await used(useOf([{ type: 11, name: 'map', value: 0 }]), [text('of a user')]);
      const [ofUser] = Object.values(data.resolved?.attachments ?? {});
      const [first] = await answered(text('first'));
      const [second] = await answered(text('second'));
      const large = new Uint8Array(limits.attachmentBytesMax);
      const statusOf = async (attachment: Attachment | undefined) => (await fetch(attachment?.url ?? '')).status;
      for (let n = 1; n <= 3; n++) {
        expect(await statusOf(first)).toBe(200);
        await answered(text(large));
      }
      await answered(text(new Uint8Array(serviceLimits.filesKeptBytesPerOwnerMax - 3 * large.length)));
      // The first was read since.
      expect([await statusOf(second), await statusOf(first)]).toEqual([404, 200]);
      const [last] = await answered(text('last'));
      expect([await statusOf(last), await statusOf(ofUser)]).toEqual([200, 200]);
    },
  );

  it('is sent to HEAD without its content, and asked for by ids alone', async () => {
    const [attachment] = await answered(text('Here be dragons'));
    const { url = '' } = attachment ?? {};
    const answer = await fetch(url, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '15', '']);
    const { pathname, origin, search } = new URL(url);
    const [, , channel = '', id = '', name = ''] = pathname.split('/');
    expect((await fetch(`${origin}/attachments/${channel}/${id}/any%20name${search}`)).status).toBe(200);
    for (const path of [`1/2%00/3`, `1%00/${id}/${name}`, `x/${id}/${name}`, `${channel}/x/${name}`, `1/1/a%00`]) {
      expect((await fetch(`${origin}/attachments/${path}${search}`)).status).toBe(404);
    }
  });
});

describe('a file that a user sends along', () => {
  it('reaches the application as an id in its option, and can be fetched', async () => {
    const use = useOf([
      { type: 11, name: 'map', value: '1' },
      { type: 11, name: 'other', value: 0 },
    ]);
    const described = { ...use, data: { ...use.data, attachments: [{ id: '1', filename: 'chart.txt' }] } };
    const { data } = await used(described, [text('other', 'other.bin', ''), text('chart')]);
    const [map, other] = data.options?.map(({ value }) => String(value)) ?? [];
    expect(data.resolved).toEqual({
      attachments: {
        [map ?? '']: expect.objectContaining({ id: map, filename: 'chart.txt', size: 5, ephemeral: true }),
        [other ?? '']: expect.objectContaining({ id: other, filename: 'other.bin' }),
      },
    });
    expect(await (await fetch(data.resolved?.attachments?.[map ?? '']?.url ?? '')).text()).toBe('chart');
  });

  it('is left out when no option names it; an id without a file is passed on as it is', async () => {
    expect((await used(useOf([]), [text('x')])).data).not.toHaveProperty('resolved');
    const { data } = await used(useOf([{ type: 11, name: 'other', value: '77' }]), [text('x')]);
    expect(data).toMatchObject({ options: [{ value: '77' }] });
    expect(data).not.toHaveProperty('resolved');
  });

  it('is rejected by an option that takes other types', async () => {
    const use = useOf([{ type: 11, name: 'map', value: '0' }]);
    const refused = await send('POST', '/interactions', use, [text('x', 'map.exe', '')], session);
    expect(refused).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(refused.body.errors.data.options[0].value._errors[0].code).toBe('BASE_TYPE_CHOICES');
    await used(use, [text('x', 'map', 'image/png')]);
  });

  it('comes with a modal that asks for files', async () => {
    const { id, token } = await used();
    const upload = { type: 19, custom_id: 'files', max_values: 2, file_types: ['.txt'] } as const;
    const modal = { type: 9, data: { custom_id: 'm', title: 'x', components: [labelled(upload)] } };
    expect(await callApi(service, 'POST', `/interactions/${id}/${token}/callback`, modal)).toMatchObject({
      status: 204,
    });
    const values = (given: readonly unknown[]) => ({
      type: 5,
      ...place,
      data: {
        id,
        custom_id: 'm',
        components: [{ type: 18, component: { type: 19, custom_id: 'files', values: given } }],
      },
    });
    const wrong = await send('POST', '/interactions', values(['0']), [text('x', 'a.exe')], session);
    expect(wrong.body.errors.data.components[0].component.values[0]._errors[0].code).toBe('BASE_TYPE_CHOICES');
    const { data } = await used<ModalInteraction>(values([0, '1']), [text('one'), text('two')]);
    const ids = data.components[0]?.component?.values ?? [];
    expect(ids.map(one => data.resolved?.attachments?.[one]?.size)).toEqual([3, 3]);
  });

  it('is one of ten at most', async () => {
    const files = Array.from({ length: 11 }, () => text('x'));
    expect(await send('POST', '/interactions', useOf([]), files, session)).toMatchObject({ body: { code: 50035 } });
  });
});

it('files are gone with all else that a reset takes away', async () => {
  const [attachment] = await answered(text('x'));
  await service.reset();
  expect((await fetch(attachment?.url ?? '')).status).toBe(404);
});
