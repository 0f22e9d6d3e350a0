/** A secret that shows who wrote it, and whether it is whole. Its length differs from one to the next. */
export function numberedSecret(writer: string, number: number): string {
  return `${writer}:${number}:${`${writer}${number}.`.repeat(100 + (number % 7) * 100)}`;
}

/** Undefined when the text is no such secret, whole. */
export function readNumberedSecret(text: string): { writer: string; number: number } | undefined {
  const [writer = '', number = ''] = text.split(':');
  return numberedSecret(writer, Number(number)) === text ? { writer, number: Number(number) } : undefined;
}
