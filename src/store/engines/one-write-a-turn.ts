import type { Client } from "pg";
import { interceptQuery } from "./intercept-query.ts";

/**
 * What is asked of a connection in one turn of the loop leaves together: each write wakes the server's process, which
 * costs more than what it then does for a statement as short as BEGIN. None waits longer than until the turn ends.
 */
export function writeOnceATurn(client: Client): void {
  const { stream } = client.connection;
  let isHeld = false;
  interceptQuery(client, (statement, send) => {
    if (!isHeld) {
      isHeld = true;
      stream.cork();
      process.nextTick(() => {
        isHeld = false;
        stream.uncork();
      });
    }
    return send(statement);
  });
}
