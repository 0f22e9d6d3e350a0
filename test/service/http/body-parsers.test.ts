import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLargeJson } from '../../../src/service/http/body/large-json.ts';
import { parseMultipart } from '../../../src/service/http/body/multipart.ts';
import { parseForm, parseQuery } from '../../../src/service/http/body/url-encoded.ts';
import { intakeLimits } from '../../../src/service/support/service-limits.ts';

describe('a URL-encoded form', () => {
  const query = fc.oneof(
    fc
      .array(fc.constantFrom('a', 'b', '=', '&', '+', '%', '%41', '%c3%a9', '%zz', 'x'), { maxLength: 30 })
      .map(parts => parts.join('')),
    fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 20 }).map(pairs => new URLSearchParams(pairs).toString()),
  );

  it('is read as browsers read it', () => {
    fc.assert(
      fc.property(query, text => {
        const expected = [...new URLSearchParams(text.toWellFormed())];
        expect([...(parseForm(text.toWellFormed()) ?? [])]).toEqual(expected);
        expect([...parseQuery(`?${text.toWellFormed()}`)]).toEqual(expected);
      }),
    );
  });

  it('has 100 fields at most; a query that has more is read so far', () => {
    const { formFieldsMax } = intakeLimits;
    const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=${n}`).join('&');
    expect(formFieldsMax).toBe(100);
    expect([...(parseForm(fields(formFieldsMax)) ?? [])]).toHaveLength(formFieldsMax);
    expect(parseForm(fields(formFieldsMax + 1))).toBeUndefined();
    expect([...parseQuery(`?${fields(formFieldsMax + 1)}`)]).toHaveLength(formFieldsMax);
    expect([...parseQuery('')]).toEqual([]);
  });

  it('gives the first of a name, and all', () => {
    const form = parseForm('a=1&b=2&a=3');
    expect([form?.get('a'), form?.getAll('a'), form?.get('c'), form?.getAll('c')]).toEqual(['1', ['1', '3'], null, []]);
  });
});

describe('a large JSON body', () => {
  /** Items large enough for the list to be cut. */
  const padded = (json: string) => json.replaceAll('@', 'x'.repeat(140_000));
  const calm = (text: string) => parseLargeJson(Buffer.from(text), JSON.parse);
  const outcome = async (read: () => unknown) => {
    try {
      return { value: await read() };
    } catch {
      return 'invalid';
    }
  };
  const piece = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    ',',
    ',',
    '"@"',
    '"@"',
    '1',
    ' ',
    '\n',
    '"a":',
    '"\\""',
    '"\\\\"',
    'null',
    '{"a":["@"]}',
    '[1,"@"]',
    '\u0001',
    '\ufeff',
    'x',
  );

  it('says the same as a small one, also where it is none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.boolean(), async (pieces, isList) => {
        const text = padded(isList ? `[${pieces.join(',')}]` : pieces.join(''));
        expect(await outcome(() => calm(text))).toEqual(await outcome(() => JSON.parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    '["@","@","@",]',
    '["@","@" "@"]',
    '["@","@"],["@"]',
    '["@","@"',
    '["@","@"]]',
    '["@","@"}',
    'x["@","@"]',
    '["@","@"]x',
    '["@","@",,"@"]',
  ])('is none as %s', async text => {
    await expect(calm(padded(text))).rejects.toThrow();
  });

  it('has 400,000 values at most, and 32,000 where it cannot be cut', async () => {
    const { jsonValuesMax, jsonValuesPerItemMax } = intakeLimits;
    const list = (count: number) => `[${Array(count).fill('1').join(',')}]`;
    // What is counted is brackets and commas: as many as values.
    expect(await calm(list(jsonValuesMax))).toHaveLength(jsonValuesMax);
    await expect(calm(list(jsonValuesMax + 1))).rejects.toMatchObject({ reason: 'request_too_large' });
    expect(await calm(`{"a":${list(jsonValuesPerItemMax - 1)}}`)).toHaveProperty('a.length', jsonValuesPerItemMax - 1);
    await expect(calm(`{"a":${list(jsonValuesPerItemMax)}}`)).rejects.toMatchObject({ reason: 'request_too_large' });
  });

  it('is 1,000 levels deep at most', async () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await calm(deep(intakeLimits.jsonDepthMax))).toEqual(JSON.parse(deep(intakeLimits.jsonDepthMax)));
    await expect(calm(deep(intakeLimits.jsonDepthMax + 1))).rejects.toMatchObject({ reason: 'invalid_json' });
  });
});

describe('a multipart form', () => {
  async function encoded(form: FormData): Promise<[type: string, bytes: Buffer]> {
    const response = new Response(form);
    return [response.headers.get('content-type') ?? '', Buffer.from(await response.arrayBuffer())];
  }

  it('gives the parts that were put into it', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, bytes, fc.option(name)), { maxLength: 5 }), async given => {
        const form = new FormData();
        for (const [field, content, filename] of given) {
          if (filename === null) form.append(field, 'text');
          else form.append(field, new File([content as Uint8Array<ArrayBuffer>], filename, { type: 'image/png' }));
        }
        const parts = await parseMultipart(...(await encoded(form)));
        const read = await new Response((await encoded(form))[1] as Buffer<ArrayBuffer>, {
          headers: { 'content-type': (await encoded(form))[0] },
        })
          .formData()
          .catch(() => undefined);
        expect(parts).toHaveLength(given.length);
        expect(parts?.map(one => [one.name, one.filename])).toEqual(
          [...(read ?? form)].map(([field, value]) => [field, typeof value === 'string' ? undefined : value.name]),
        );
        const files = given.filter(([, , filename]) => filename !== null);
        expect(parts?.filter(one => one.filename !== undefined).map(one => [...one.content])).toEqual(
          files.map(([, content]) => [...content]),
        );
      }),
      { numRuns: 100 },
    );
  });

  const body = (head: string, content = 'x') => Buffer.from(`--b\r\n${head}\r\n\r\n${content}\r\n--b--\r\n`);
  const type = 'multipart/form-data; boundary=b';

  it.each([
    ['form-data; name="a"; filename="x.png"', 'x.png'],
    ['form-data; filename="x.png"; name="a"', 'x.png'],
    ['form-data; name=a; filename=x.png', 'x.png'],
    ['form-data; name="a"; filename*=utf-8\'\'%e2%82%ac.png', '€.png'],
    ['form-data; name="a"; filename="a%22b%0D%0A.png"', 'a"b\r\n.png'],
    ['form-data; name="a"', undefined],
  ])('reads %s', async (disposition, filename) => {
    expect(await parseMultipart(type, body(`Content-Disposition: ${disposition}`))).toMatchObject([
      { name: 'a', filename, content: Buffer.from('x') },
    ]);
  });

  it.each([
    ['without a boundary', 'multipart/form-data', body('Content-Disposition: form-data; name="a"')],
    ['with a boundary of 71 characters', `multipart/form-data; boundary=${'b'.repeat(71)}`, body('')],
    ['without its boundary', type, Buffer.from('nothing')],
    ['without an end', type, Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx')],
    ['with a part without a head', type, Buffer.from('--b\r\nx\r\n--b--')],
    ['with a part without a name', type, body('Content-Disposition: form-data')],
    ['with a head that is too long', type, body(`Content-Disposition: form-data; name="${'a'.repeat(5000)}"`)],
  ])('is none %s', async (_, contentType, bytes) => {
    expect(await parseMultipart(contentType, bytes)).toBeUndefined();
  });

  it('has 50 parts at most', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n';
    const form = (count: number) => Buffer.from(`${part.repeat(count)}--b--`);
    expect(await parseMultipart(type, form(50))).toHaveLength(50);
    expect(await parseMultipart(type, form(51))).toBeUndefined();
  });
});
