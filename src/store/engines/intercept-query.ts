import type { PoolClient } from "pg";

/** As a client's `query` is called: a text or an object, perhaps parameters, perhaps a callback. */
export type Statement = readonly unknown[];

/** From now on the client's statements go through `pass`. Its overloads cannot be written down again, hence the unknowns. */
export function interceptQuery(
  client: PoolClient,
  pass: (statement: Statement, send: (statement: Statement) => unknown) => unknown,
): void {
  const query: unknown = Reflect.get(client, "query");
  if (typeof query !== "function") return;
  const send = (statement: Statement): unknown => Reflect.apply(query, client, statement);
  Object.defineProperty(client, "query", {
    value: (...statement: Statement): unknown => pass(statement, send),
    configurable: true,
  });
}
