import { describe, expect, it } from 'vitest';
import { button, row, select } from '../../../src/backend/components/build.ts';
import { embed } from '../../../src/backend/components/embed.ts';
import { checkMessageData } from '../../../src/model/rules/interactions/callback.ts';

describe('builders of message components', () => {
  it('make what the interface shapes, and what the rules accept', () => {
    const components = [
      row(button.primary('join:red', 'Join'), button.link('https://example.com/', 'Rules', { disabled: true })),
      row(select.of('map', [{ value: 'harbour', label: 'Harbour' }], { max_values: 1 })),
      row(select.users('friends', { max_values: 5 })),
    ];
    expect(checkMessageData({ components })).toEqual([]);
    expect(components.map(({ components: inner }) => inner)).toEqual([
      [
        { type: 2, style: 1, custom_id: 'join:red', label: 'Join' },
        { type: 2, style: 5, url: 'https://example.com/', label: 'Rules', disabled: true },
      ],
      [{ type: 3, custom_id: 'map', options: [{ value: 'harbour', label: 'Harbour' }], max_values: 1 }],
      [{ type: 5, custom_id: 'friends', max_values: 5 }],
    ]);
  });
});

describe('an embed', () => {
  it('is in the shape of the interface, written in few words or as it is', () => {
    const shaped = {
      title: 'Match found',
      description: 'Four of eight',
      url: 'https://example.com/',
      timestamp: '2026-08-01T00:00:00.000Z',
      color: 0x2aa198,
      footer: { text: 'Starfall' },
      image: { url: 'attachment://map.png' },
      thumbnail: { url: 'https://example.com/t.png' },
      author: { name: 'Ada' },
      fields: [{ name: 'Map', value: 'Harbour', inline: true }],
    };
    const short = {
      title: 'Match found',
      description: 'Four of eight',
      url: 'https://example.com/',
      timestamp: new Date(Date.UTC(2026, 7, 1)),
      color: '#2aA198',
      footer: 'Starfall',
      image: 'attachment://map.png',
      thumbnail: 'https://example.com/t.png',
      author: 'Ada',
      fields: { Map: 'Harbour' },
    } as const;
    expect(embed(short)).toEqual(shaped);
    expect(embed(shaped)).toEqual(shaped);
    expect(embed({})).toEqual({});
    expect(checkMessageData({ embeds: [embed(short)] })).toEqual([]);
  });

  it.each(['#12345', '#1234567', '#12345g', '123456'])('cannot have the color %j', color => {
    const make = () => embed({ color: color as `#${string}` });
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path: ['color'] })] }));
  });

  it('cannot have an invalid date', () => {
    const make = () => embed({ timestamp: new Date('never') });
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path: ['timestamp'] })] }));
  });
});
