/* oxlint-disable typescript/no-unsafe-type-assertion -- the messages come from market-worker.ts */
import { Worker } from "node:worker_threads";
import type { Piece, RunKind, RunRequest, Runs, WorkerReply, WorkerRequest } from "./runs.ts";

/** The worker thread exited or could not answer a request. */
class MarketThreadError extends Error {
  override readonly name = "MarketThreadError";
}

/** Client of the worker thread, which is started with the first run, and again after a failure. */
export class MarketThread {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #script: URL;
  #lastNumber = 0;
  #lastRun = 0;

  constructor(script = new URL("./market-worker.ts", import.meta.url)) {
    this.#script = script;
  }

  /** @returns the run's number, and which of the pieces must be sent */
  async begin<Kind extends RunKind>(
    kind: Kind,
    input: Runs[Kind]["input"],
    keys: readonly string[],
  ): Promise<{ run: number; wanted: readonly string[] }> {
    this.#lastRun += 1;
    const run = this.#lastRun;
    const request = { kind, input } as RunRequest;
    const wanted = await this.#ask({ kind: "begin", run, request, keys });
    return { run, wanted: wanted as readonly string[] };
  }

  /** @returns the keys of damaged pieces */
  async feed(run: number, pieces: readonly Piece[]): Promise<readonly string[]> {
    return (await this.#ask({ kind: "feed", run, pieces })) as readonly string[];
  }

  async finish<Kind extends RunKind>(run: number, _kind: Kind): Promise<Runs[Kind]["answer"]> {
    return (await this.#ask({ kind: "finish", run })) as Runs[Kind]["answer"];
  }

  async drop(run: number): Promise<void> {
    await this.#ask({ kind: "drop", run });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #ask(request: WorkerRequest): Promise<unknown> {
    this.#worker ??= this.#start();
    this.#lastNumber += 1;
    const n = this.#lastNumber;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(n, answer);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage({ n, request });
    return await answer.promise;
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    worker.unref();
    worker.on("message", ({ n, error, answer }: WorkerReply) => {
      const waiting = this.#waiting.get(n);
      this.#waiting.delete(n);
      if (error === null) waiting?.resolve(answer);
      else waiting?.reject(new MarketThreadError(`the market's thread failed: ${error}`));
    });
    const fail = (): void => {
      // An error is followed by the exit, when a new worker may have taken over.
      if (this.#worker !== worker) return;
      this.#worker = null;
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { reject } of waiting) reject(new MarketThreadError("the market's thread ended"));
    };
    worker.on("error", fail);
    worker.on("exit", fail);
    return worker;
  }
}
