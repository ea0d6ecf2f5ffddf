import { AsyncLocalStorage } from "node:async_hooks";
import { StoreError } from "../errors.ts";
import { isUrgent } from "../urgency.ts";
import type { EmbeddedResult } from "./embedded-messages.ts";
import type { EngineThread } from "./engine-thread.ts";
import { isOnlyWrite } from "./only-write.ts";

export interface QueryOptions {
  readonly rowMode?: "array" | "object";
}

export interface EmbeddedTimings {
  /** A single statement without an answer after this ends the process. */
  readonly queryTimeoutMs: number;
  /** A transaction that is still open after this is rolled back: everybody else waits for it. */
  readonly transactionTimeoutMs: number;
  /** The same as `queryTimeoutMs` for CHECKPOINT, VACUUM and archives. */
  readonly maintenanceTimeoutMs: number;
  readonly checkpointIntervalMs: number;
}

export const DEFAULT_TIMINGS: EmbeddedTimings = {
  queryTimeoutMs: 30_000,
  transactionTimeoutMs: 15_000,
  maintenanceTimeoutMs: 600_000,
  checkpointIntervalMs: 300_000,
};

interface TransactionScope {
  readonly owner: EmbeddedClient;
  isOpen: boolean;
  /** Set with its first statement. */
  hasBegun: boolean;
  /** What COMMIT travels behind without waiting for its answer. */
  onlyWrite: Promise<unknown> | null;
}

const currentScope = new AsyncLocalStorage<TransactionScope>();

/**
 * What drizzle-orm/pglite calls: `query` and `transaction`, as PGlite has them, over the thread.
 * The engine has one session, so everything takes turns, the urgent first, and a transaction keeps its turn to the
 * end.
 */
export class EmbeddedClient {
  readonly #thread: EngineThread;
  readonly #timings: EmbeddedTimings;
  readonly #turns = new Turns();

  constructor(thread: EngineThread, timings: EmbeddedTimings) {
    this.#thread = thread;
    this.#timings = timings;
  }

  async query(
    text: string,
    parameters: readonly unknown[] = [],
    options?: QueryOptions,
  ): Promise<EmbeddedResult> {
    this.#refuseInsideTransaction();
    return await this.#turns.take(() => this.#send({ text, parameters, options, begins: false }), isUrgent());
  }

  async transaction<Result>(body: (client: TransactionClient) => Promise<Result>): Promise<Result> {
    this.#refuseInsideTransaction();
    return await this.#turns.take(() => this.#transact(body), isUrgent());
  }

  /** CHECKPOINT, VACUUM: outside any transaction and with more patience. */
  async maintain(command: string): Promise<void> {
    await this.#turns.take(() =>
      this.#thread.ask({ kind: "command", text: command }, this.#timings.maintenanceTimeoutMs),
    );
  }

  /** Throws a StoreError: `exists` when there is something under the path already, which stays as it is, or `unwritable`. */
  async archive(path: string): Promise<void> {
    try {
      await this.#turns.take(() =>
        this.#thread.ask({ kind: "archive", path }, this.#timings.maintenanceTimeoutMs),
      );
    } catch (error) {
      throw refusalOfFile(path, error) ?? error;
    }
  }

  /** After everything that was asked for earlier. An engine that is beyond help cannot be closed any better. */
  async close(): Promise<void> {
    if (this.#thread.hasEnded) return;
    await this.#turns.take(() => this.#thread.ask({ kind: "close" }, this.#timings.maintenanceTimeoutMs));
  }

  async #transact<Result>(body: (client: TransactionClient) => Promise<Result>): Promise<Result> {
    const scope: TransactionScope = { owner: this, isOpen: true, hasBegun: false, onlyWrite: null };
    const client = new TransactionClient(scope, (statement) => this.#send(statement));
    try {
      const result = await this.#inTime(currentScope.run(scope, () => body(client)));
      scope.isOpen = false;
      if (scope.hasBegun) await this.#commit(scope);
      return result;
    } catch (error) {
      scope.isOpen = false;
      if (scope.hasBegun) await this.#command("rollback");
      throw error;
    }
  }

  /** The engine answers COMMIT with ROLLBACK when a statement failed and the failure was swallowed. */
  async #commit({ onlyWrite }: TransactionScope): Promise<void> {
    const [written, committed] = await Promise.allSettled([onlyWrite, this.#command("commit")]);
    if (written.status === "rejected") throw written.reason;
    if (committed.status === "rejected") throw committed.reason;
    if (committed.value !== "COMMIT")
      throw new Error("a statement of the transaction failed: nothing was committed");
  }

  async #inTime<Result>(body: Promise<Result>): Promise<Result> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const { transactionTimeoutMs } = this.#timings;
    const timer = setTimeout(
      () => reject(new Error(`a transaction was still open after ${transactionTimeoutMs} ms: rolled back`)),
      transactionTimeoutMs,
    );
    try {
      return await Promise.race([body, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #command(text: string): Promise<unknown> {
    return await this.#thread.ask({ kind: "command", text }, this.#timings.queryTimeoutMs);
  }

  async #send({ text, parameters, options, begins }: Statement): Promise<EmbeddedResult> {
    const rowMode = options?.rowMode ?? "object";
    return await this.#thread.query(
      { kind: "query", text, parameters, rowMode, begins },
      this.#timings.queryTimeoutMs,
    );
  }

  /** Waiting here would be waiting for oneself, for ever. */
  #refuseInsideTransaction(): void {
    const scope = currentScope.getStore();
    if (scope?.owner === this && scope.isOpen) {
      throw new Error("inside a transaction only its own tx may be used");
    }
  }
}

interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly options: QueryOptions | undefined;
  readonly begins: boolean;
}

/** The client that a transaction's body is given; dead once the transaction is over. */
export class TransactionClient {
  readonly #scope: TransactionScope;
  readonly #send: (statement: Statement) => Promise<EmbeddedResult>;

  constructor(scope: TransactionScope, send: (statement: Statement) => Promise<EmbeddedResult>) {
    this.#scope = scope;
    this.#send = send;
  }

  async query(
    text: string,
    parameters: readonly unknown[] = [],
    options?: QueryOptions,
  ): Promise<EmbeddedResult> {
    if (!this.#scope.isOpen) throw new StoreError("closed", "the transaction is over");
    const begins = !this.#scope.hasBegun;
    this.#scope.hasBegun = true;
    const sent = this.#send({ text, parameters, options, begins });
    if (!isOnlyWrite()) return await sent;
    this.#scope.onlyWrite = sent;
    sent.catch(() => undefined);
    return { rows: [], affectedRows: 0 };
  }
}

/** Null: it was not the file that failed. */
function refusalOfFile(path: string, error: unknown): StoreError | null {
  if (!(error instanceof Error && "code" in error)) return null;
  const code = String(error.code);
  if (code === "EEXIST")
    return new StoreError("exists", `${path} exists already: a backup overwrites nothing`, { cause: error });
  // Of the system; those of the database are numbers.
  if (!/^E[A-Z]+$/.test(code)) return null;
  const message = `${path} cannot be written (${code}): a backup needs a folder that exists, has room and may be written to`;
  return new StoreError("unwritable", message, { cause: error });
}

/** Beyond this queue length the store cannot catch up: new work is refused immediately. */
const MAX_WAITING = 20_000;

/** After this many urgent operations in a row another one runs, to prevent starvation. */
const MAX_URGENT_IN_A_ROW = 16;

/** One at a time: the urgent first, first come first served among equals. */
export class Turns {
  readonly #urgent: (() => void)[] = [];
  readonly #usual: (() => void)[] = [];
  #isTaken = false;
  #urgentInARow = 0;

  /** Runs `action` when its turn comes, and settles with its result. */
  async take<Result>(action: () => Promise<Result>, isUrgent = false): Promise<Result> {
    if (Number(this.#isTaken) + this.#urgent.length + this.#usual.length >= MAX_WAITING) {
      throw new StoreError("overloaded", `the store is overloaded: ${MAX_WAITING} operations wait for it`);
    }
    if (this.#isTaken) {
      await new Promise<void>((begin) => {
        (isUrgent ? this.#urgent : this.#usual).push(begin);
      });
    }
    this.#isTaken = true;
    try {
      return await action();
    } finally {
      this.#passOn();
    }
  }

  /** The turn stays taken while it is handed over: who asks meanwhile stands behind. */
  #passOn(): void {
    const next = this.#next();
    if (next === undefined) this.#isTaken = false;
    else next();
  }

  #next(): (() => void) | undefined {
    const letsPass = this.#urgentInARow >= MAX_URGENT_IN_A_ROW && this.#usual.length > 0;
    const urgent = letsPass ? undefined : this.#urgent.shift();
    this.#urgentInARow = urgent === undefined ? 0 : this.#urgentInARow + 1;
    return urgent ?? this.#usual.shift();
  }
}
