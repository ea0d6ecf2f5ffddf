/** As the `query` of a client or of a pool is called: a text or an object, perhaps parameters, perhaps a callback. */
export type Statement = readonly unknown[];

/** A statement in an object of its own, and not one that submits itself. */
export function hasText(asked: unknown): asked is { readonly text: string } {
  if (typeof asked !== "object" || asked === null || "submit" in asked) return false;
  return "text" in asked && typeof asked.text === "string";
}

/** Null: with a callback, or no plain statement. */
export function statementText(statement: Statement): string | null {
  if (statement.some((part) => typeof part === "function")) return null;
  const [first] = statement;
  if (typeof first === "string") return first;
  return hasText(first) ? first.text : null;
}

/** The words that end a transaction. */
export const ENDING = /^(?:commit|rollback)$/;

/** Its overloads cannot be written down again, hence the unknowns. */
export function query(asked: object, statement: Statement): unknown {
  return call(Reflect.get(asked, "query"), asked, statement);
}

/** From now on its statements go through `pass`. */
export function interceptQuery(
  asked: object,
  pass: (statement: Statement, send: (statement: Statement) => unknown) => unknown,
): void {
  const sending: unknown = Reflect.get(asked, "query");
  Object.defineProperty(asked, "query", {
    value: (...statement: Statement): unknown => pass(statement, (passed) => call(sending, asked, passed)),
    configurable: true,
  });
}

function call(method: unknown, asked: object, statement: Statement): unknown {
  if (typeof method !== "function") throw new TypeError("what is asked cannot be asked");
  return Reflect.apply(method, asked, statement);
}
