/** What this folder needs of a connection to PostgreSQL. */
export interface Database {
  /** @param options `name`: the statement is prepared under it once for each connection */
  query<Row extends object>(
    text: string,
    values?: readonly unknown[],
    options?: { readonly name?: string },
  ): Promise<{ readonly rows: readonly Row[] }>;
}
