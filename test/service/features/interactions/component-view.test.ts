import { describe, expect, it } from 'vitest';
import type { Component } from '../../../../src/model/component.ts';
import type { Attachment } from '../../../../src/model/message.ts';
import { showComponents } from '../../../../src/service/features/interactions/answer-view.ts';
import { button, row, stringSelect, text } from '../../../support/commands/components.ts';

const attachment = {
  id: '8',
  filename: 'a.png',
  size: 3,
  url: 'http://127.0.0.1/a.png?key=1',
  proxy_url: 'http://127.0.0.1/a.png?key=1',
  content_type: 'image/png',
} as Attachment;
const show = (...components: readonly object[]) =>
  showComponents(components as readonly Component[], { id: '5', attachments: [attachment] });

describe('the components of a message', () => {
  it('get the lowest free numbers in the order they are shown, and keep their own', () => {
    expect(show(row(button('a'), button('b', { id: 1 })), text())).toMatchObject([
      { id: 2, components: [{ id: 3 }, { id: 1 }] },
      { id: 4 },
    ]);
  });

  it('are shown with their defaults, where their sender named none', () => {
    expect(show(row(stringSelect('a', ['b'])), { type: 14 }, { type: 17, components: [] })).toMatchObject([
      { components: [{ min_values: 1, max_values: 1 }] },
      { divider: true, spacing: 1 },
      { accent_color: null, spoiler: false },
    ]);
    expect(show({ type: 14, divider: false, spacing: 2 })).toMatchObject([{ divider: false, spacing: 2 }]);
  });

  it('show the accessory of a section like any other component', () => {
    const thumbnail = { type: 11, media: { url: 'attachment://a.png' } };
    expect(show({ type: 9, components: [text()], accessory: thumbnail })).toMatchObject([
      { id: 1, accessory: { media: { attachment_id: '8' }, description: null, spoiler: false } },
    ]);
  });

  it('name an attached file by where it is found, and others by their address', () => {
    const { id, url, proxy_url, content_type } = attachment;
    const attached = { id, url, proxy_url, content_type, attachment_id: id };
    expect(show({ type: 13, file: { url: 'attachment://a.png' } })).toMatchObject([
      { file: attached, name: 'a.png', size: 3, spoiler: false },
    ]);
    const [shown] = show({ type: 12, items: [{ media: { url } }, { media: { url: 'https://a.example/b' } }] });
    expect(shown?.items).toEqual([
      { media: attached, description: null, spoiler: false },
      {
        media: { id: '5', url: 'https://a.example/b', proxy_url: 'https://a.example/b' },
        ...{ description: null, spoiler: false },
      },
    ]);
  });
});
