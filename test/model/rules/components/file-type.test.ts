import { expect, it } from 'vitest';
import { takesFile } from '../../../../src/model/rules/components/file-type.ts';

it.each([
  [undefined, 'a.exe', undefined, true],
  [null, 'a.exe', undefined, true],
  [[], 'a.exe', undefined, true],
  [['.png'], 'a.PNG', undefined, true],
  [['.png'], 'a.png.exe', undefined, false],
  [['.tar.gz'], 'a.tar.gz', undefined, true],
  [['image'], 'a', 'image/png', true],
  [['image'], 'a.png', undefined, false],
  [['image'], 'a.png', 'imagery/png', false],
  [['video', 'audio', '.txt'], 'a.ogg', 'Audio/ogg', true],
  [['video', 'audio', '.txt'], 'a.pdf', 'application/pdf', false],
])('of types %j a file %s of type %s is taken: %j', (fileTypes, filename, content_type, expected) => {
  expect(takesFile(fileTypes, { filename, ...(content_type !== undefined && { content_type }) })).toBe(expected);
});
