/** A file that came with a form. */
export class SentFile {
  /** Which entry of the message's `attachments` describes it. */
  readonly index: number;
  readonly name: string;
  /** Its media type, empty when none was said. */
  readonly type: string;
  readonly content: Uint8Array;

  constructor(index: number, { name, type }: Pick<File, 'name' | 'type'>, content: Uint8Array) {
    this.index = index;
    this.name = name;
    this.type = type;
    this.content = content;
  }
}

/** The files that came with a message; none of what its JSON says of itself. */
export function sentFiles({ files }: Readonly<Record<string, unknown>>): readonly SentFile[] {
  return Array.isArray(files) ? files.filter(file => file instanceof SentFile) : [];
}
