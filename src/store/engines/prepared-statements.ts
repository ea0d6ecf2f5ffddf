import { parse, protocol, type PGlite } from "@electric-sql/pglite";
import type { EmbeddedResult, QueryRequest } from "./engine-thread.ts";

/**
 * Prepared statements, cached by text: parsing and planning at every use took half the time of a decision
 * about money. The engine has one session, and drizzle-orm generates the same text for the same query.
 */
export class PreparedStatements {
  readonly #engine: PGlite;
  /** By text, least recently used first. */
  readonly #known = new Map<string, Statement>();
  #lastNumber = 0;

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  async run({ text, parameters, rowMode, begins }: QueryRequest): Promise<EmbeddedResult> {
    return await this.#engine.runExclusive(async () => {
      const begin = begins ? await this.#statement("begin") : null;
      const statement = await this.#statement(text);
      const { name, parameterTypes, description } = statement;
      const values = parameters.map((value, i) => this.#textOf(value, parameterTypes[i]));
      const begun = begin === null ? [] : [serialize.bind({ statement: begin.name }), serialize.execute({})];
      const messages = await this.#send(
        ...begun,
        serialize.bind({ statement: name, values }),
        serialize.execute({}),
      );
      await this.#engine.syncToFs();
      const own = begin === null ? messages : afterFirst(messages, "commandComplete");
      const [result] = parse.parseResults([...description, ...own], this.#engine.parsers, { rowMode });
      return { rows: result?.rows ?? [], affectedRows: result?.affectedRows ?? 0 };
    });
  }

  async #statement(text: string): Promise<Statement> {
    const known = this.#known.get(text) ?? (await this.#prepare(text));
    this.#known.delete(text);
    this.#known.set(text, known);
    return known;
  }

  async #prepare(text: string): Promise<Statement> {
    await this.#makeRoom();
    this.#lastNumber += 1;
    const name = `s${this.#lastNumber}`;
    const messages = await this.#send(
      serialize.parse({ name, text }),
      serialize.describe({ type: "S", name }),
    );
    return {
      name,
      parameterTypes: parse.parseDescribeStatementResults(messages),
      description: messages.filter((message) => message.name === "rowDescription"),
    };
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#known;
    if (oldest === undefined || this.#known.size < MAX_STATEMENTS) return;
    const [text, { name }] = oldest;
    this.#known.delete(text);
    await this.#send(serialize.close({ type: "S", name }));
  }

  /** Sends all parts as one message: each call into the engine is expensive. The sync ends an error state. */
  async #send(...parts: readonly Uint8Array[]): Promise<Messages> {
    const message = Buffer.concat([...parts, serialize.sync()]);
    return await this.#engine.execProtocolStream(message, { syncToFs: false });
  }

  #textOf(value: unknown, type: number | undefined): string | null {
    if (value === null || value === undefined) return null;
    const serializer = type === undefined ? undefined : this.#engine.serializers[type];
    if (serializer !== undefined) return serializer(value);
    return typeof value === "string" ? value : JSON.stringify(value);
  }
}

const { serialize } = protocol;

function afterFirst(messages: Messages, name: Messages[number]["name"]): Messages {
  return messages.slice(messages.findIndex((message) => message.name === name) + 1);
}

/** Far more than the product has different statements; each takes a few kilobytes. */
const MAX_STATEMENTS = 250;

type Messages = Awaited<ReturnType<PGlite["execProtocolStream"]>>;

interface Statement {
  readonly name: string;
  readonly parameterTypes: readonly number[];
  /** The row description; empty for statements without rows. */
  readonly description: Messages;
}
