/** A file that came with a form. Our choice: what is in it is not kept, only what it is called and how large it is. */
export class SentFile {
  /** Which entry of the message's `attachments` describes it. */
  readonly index: number;
  readonly name: string;
  readonly bytes: number;
  /** Its media type, empty when none was said. */
  readonly type: string;

  constructor(index: number, { name, size, type }: Pick<File, 'name' | 'size' | 'type'>) {
    this.index = index;
    this.name = name;
    this.bytes = size;
    this.type = type;
  }
}

/** The files that came with a message; none of what its JSON says of itself. */
export function sentFiles({ files }: Readonly<Record<string, unknown>>): readonly SentFile[] {
  return Array.isArray(files) ? files.filter(file => file instanceof SentFile) : [];
}
